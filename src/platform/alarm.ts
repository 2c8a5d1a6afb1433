import type { Clock } from '../core/clock.ts';

/** A timer that fires unless `touch` is called within its time span. */
export interface Alarm {
  touch(): void;
  stop(): void;
}

/** Number of checks per span. After a touch, the alarm fires late by at most a quarter of the span. */
const CHECKS = 4;

/**
 * Starts an alarm that fires once after `ms` milliseconds without a call of `touch`. Such a call is cheap, because it
 * starts no timer.
 * The alarm does not use the time of day, so a corrected system clock does not trigger it (fault F33).
 */
export function startAlarm(clock: Clock, ms: number, ring: () => void): Alarm {
  const stopped = new AbortController();
  let quiet = 0;
  const run = async (): Promise<void> => {
    while (quiet < CHECKS) {
      quiet += 1;
      await clock.wait(ms / CHECKS, stopped.signal);
    }
    if (!stopped.signal.aborted) ring();
  };
  // `run` rejects when the alarm is stopped, which is not an error.
  run().catch(() => undefined);
  return {
    touch: () => {
      quiet = 0;
    },
    stop: () => stopped.abort(),
  };
}
