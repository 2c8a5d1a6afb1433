/** Stores an entry as the newest one, then deletes the oldest entry if the map has more than `bound` entries. */
export function keepBound<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, bound: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= bound) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

/**
 * Returns how many milliseconds of `span` are left after `start`; 0 if `start` is undefined. Never returns more than
 * `span`, even if the clock was set back.
 */
export function remaining(start: number | undefined, span: number, now: number): number {
  if (start === undefined) return 0;
  return Math.min(span, Math.max(0, start + span - now));
}
