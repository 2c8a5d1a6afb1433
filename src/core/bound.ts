/** Sets an entry as the newest one and deletes the oldest one beyond the bound. */
export function keepBound<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, bound: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= bound) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

/** Returns the remaining part of `span` since `start`. Never more than the span, even if the clock was set back. */
export function remaining(start: number | undefined, span: number, now: number): number {
  if (start === undefined) return 0;
  return Math.min(span, Math.max(0, start + span - now));
}
