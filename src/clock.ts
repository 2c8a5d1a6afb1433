import { setTimeout as timer } from 'node:timers/promises';
import type { Clock } from './core/clock.ts';

/** The longest span that a timer of Node takes; longer waits are cut into such pieces. */
const LONGEST_MS = 2_147_483_647;

/** The machine's own time; with the sandbox's, the only place where timers and the wall clock are used. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async wait(ms, signal) {
    for (let left = Math.max(0, ms); ; left -= LONGEST_MS) {
      await waitOnce(Math.min(left, LONGEST_MS), signal);
      if (left <= LONGEST_MS) return;
    }
  },
};

async function waitOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await timer(ms, undefined, signal === undefined ? {} : { signal });
  } catch (thrown) {
    signal?.throwIfAborted();
    throw thrown;
  }
}
