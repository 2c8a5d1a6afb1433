import type { Clock } from '../core/clock.ts';

/** Minimum milliseconds between two log entries about the same kind of event. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Returns a function that calls `tell` at most once per minute for each kind, so that outsiders cannot fill the log.
 * Kinds must be a small fixed set, because each is kept in memory.
 */
export function createSeldom(clock: Clock): (kind: string, tell: () => void) => void {
  const toldAt = new Map<string, number>();
  return (kind, tell) => {
    const now = clock.now();
    if (Math.abs(now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY)) < LOG_INTERVAL_MS) return;
    toldAt.set(kind, now);
    tell();
  };
}

/**
 * Returns a function that calls `tell` for the first `most` events of a minute. For the next event, calls `tellMore` if it
 * is given. Ignores further events of that minute. For events that outsiders can cause, but whose entries differ.
 */
export function createSome(clock: Clock, most: number): (tell: () => void, tellMore?: () => void) => void {
  let began = Number.NEGATIVE_INFINITY;
  let events = 0;
  return (tell, tellMore) => {
    const now = clock.now();
    if (Math.abs(now - began) >= LOG_INTERVAL_MS) [began, events] = [now, 0];
    events += 1;
    if (events <= most) tell();
    else if (events === most + 1) tellMore?.();
  };
}
