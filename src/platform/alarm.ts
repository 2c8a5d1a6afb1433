import type { Clock } from '../core/clock.ts';

/** A timer that rings when nothing touched it for its span. */
export interface Alarm {
  touch(): void;
  stop(): void;
}

/** Parts of a span between two looks; a touched alarm rings at most one part late. */
const LOOKS = 4;

/**
 * Rings once, after `ms` without a touch. One timer however often it is touched, and the time of day is not asked,
 * so a corrected system clock rings nothing (fault F33).
 */
export function startAlarm(clock: Clock, ms: number, ring: () => void): Alarm {
  const stopped = new AbortController();
  let quiet = 0;
  const run = async (): Promise<void> => {
    while (quiet < LOOKS) {
      quiet += 1;
      await clock.wait(ms / LOOKS, stopped.signal);
    }
    if (!stopped.signal.aborted) ring();
  };
  // The wait rejects when the alarm is stopped, which is its usual end.
  run().catch(() => undefined);
  return {
    touch: () => {
      quiet = 0;
    },
    stop: () => stopped.abort(),
  };
}
