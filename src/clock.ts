import type { Clock } from './core/clock.ts';

/** Longest delay that a Node timer accepts, in milliseconds; longer waits are split. */
const LONGEST_MS = 2_147_483_647;

/** The machine's clock. Only this clock and the sandbox's clock use timers and the wall clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async wait(ms, signal) {
    for (let left = Math.max(0, ms); ; left -= LONGEST_MS) {
      await waitOnce(Math.min(left, LONGEST_MS), signal);
      if (left <= LONGEST_MS) return;
    }
  },
};

/**
 * Waits once. Does not use `node:timers/promises`, which creates an error with a stack trace for every aborted wait.
 */
function waitOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const giveUp = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    }, ms);
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}
