import { setTimeout as timer } from 'node:timers/promises';

/** The only source of time in the sandbox (platform contract FIX-4). Times are milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds, or immediately and without an error when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    if (ms <= 0 || signal.aborted) return;
    await timer(ms, undefined, { signal }).catch(() => undefined);
  },
};

/** Makes a clock that is `offset()` milliseconds ahead of another one (fault F14). */
export function shiftedClock(clock: Clock, offset: () => number): Clock {
  return { now: () => clock.now() + offset(), sleep: clock.sleep };
}
