import type { Clock } from '../core/clock.ts';

/** Minimum time between two log entries about events that anyone can cause, in milliseconds. */
const TOLD_EVERY_MS = 60_000;

/**
 * Returns a function that calls `tell` at most once per kind and minute, so that outsiders cannot fill the
 * log. Kinds must be a small fixed set.
 */
export function createSeldom(clock: Clock): (kind: string, tell: () => void) => void {
  const toldAt = new Map<string, number>();
  return (kind, tell) => {
    const now = clock.now();
    if (Math.abs(now - (toldAt.get(kind) ?? Number.NEGATIVE_INFINITY)) < TOLD_EVERY_MS) return;
    toldAt.set(kind, now);
    tell();
  };
}
