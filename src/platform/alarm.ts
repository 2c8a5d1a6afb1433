import type { Clock } from '../core/clock.ts';

/** A timer that fires when a time span has passed since the start or the last call of `touch`. */
export interface Alarm {
  touch(): void;
  stop(): void;
}

/**
 * Number of checks in one time span. The alarm notices a call of `touch` only at the next check, so it fires at most a
 * quarter of the span late.
 */
const CHECKS = 4;

/**
 * Starts an alarm that fires once, after `ms` milliseconds without a call of `touch`. `touch` starts no timer, so it is
 * cheap.
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
