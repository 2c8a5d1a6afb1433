/** Creates caches that have a maximum size and a lifetime, and that use the injected clock. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';

export type Cache<Value extends {}> = LRUCache<string, Value>;

interface CacheDeps {
  readonly clock: Clock;
  /** Maximum number of entries. If it is exceeded, the least recently used entry is removed. */
  readonly max: number;
  /** Lifetime of an entry, in milliseconds since it was set. */
  readonly ttlMs: number;
}

export function createCache<Value extends {}>({ clock, max, ttlMs }: CacheDeps): Cache<Value> {
  // lru-cache expires an entry one millisecond after its lifetime. The subtraction makes the entry expire exactly at
  // the end of its lifetime.
  return new LRUCache({ max, ttl: ttlMs - 1, ttlResolution: 0, perf: { now: () => clock.now() } });
}

/**
 * Caches the promise of work in progress, so that concurrent callers share the work. Removes the promise if it
 * rejects.
 */
export function share<Value>(
  cache: Cache<Promise<Value>>,
  key: string,
  work: Promise<Value>,
): Promise<Value> {
  cache.set(key, work);
  work.catch(() => cache.peek(key) === work && cache.delete(key));
  return work;
}
