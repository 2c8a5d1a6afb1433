/** Caches with a bound and a lifetime, on the injected clock. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';

export type Cache<Value extends {}> = LRUCache<string, Value>;

interface CacheDeps {
  readonly clock: Clock;
  /** Maximum entries; beyond it the entry unused for longest goes. */
  readonly max: number;
  /** Lifetime of an entry, in milliseconds since it was set. */
  readonly ttlMs: number;
}

export function createCache<Value extends {}>({ clock, max, ttlMs }: CacheDeps): Cache<Value> {
  // lru-cache expires an entry only after its lifetime has passed; this cache expires it exactly then.
  return new LRUCache({ max, ttl: ttlMs - 1, ttlResolution: 0, perf: { now: () => clock.now() } });
}

/** Caches running work, so that callers share it. Failed work is removed. */
export function share<Value>(
  cache: Cache<Promise<Value>>,
  key: string,
  work: Promise<Value>,
): Promise<Value> {
  cache.set(key, work);
  work.catch(() => cache.peek(key) === work && cache.delete(key));
  return work;
}
