import type { Clock } from '../core/clock.ts';

/** A timer that rings unless it is touched within its time span. */
export interface Alarm {
  touch(): void;
  stop(): void;
}

/** Checks in one span; a touched alarm rings at most a quarter of its span late. */
const CHECKS = 4;

/**
 * Rings once after `ms` without a touch. All touches share one timer. It ignores the time of day, so a corrected
 * system clock does not make it ring (fault F33).
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
  // The wait rejects when the alarm is stopped, which is the normal case.
  run().catch(() => undefined);
  return {
    touch: () => {
      quiet = 0;
    },
    stop: () => stopped.abort(),
  };
}
