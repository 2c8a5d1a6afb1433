import { setTimeout as timer } from 'node:timers/promises';

/**
 * The only source of time in the sandbox (platform contract FIX-4: one clock). Times are in milliseconds since the
 * epoch.
 */
export interface Clock {
  now(): number;
  /** Resolves after `ms` milliseconds. If the signal is aborted, resolves immediately, without an error. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    if (ms <= 0 || signal.aborted) return;
    await timer(ms, undefined, { signal }).catch(() => undefined);
  },
};

/** Returns a clock that is `offset()` milliseconds ahead of `clock` (fault F14: clocks differ). */
export function shiftedClock(clock: Clock, offset: () => number): Clock {
  return { now: () => clock.now() + offset(), sleep: clock.sleep };
}
