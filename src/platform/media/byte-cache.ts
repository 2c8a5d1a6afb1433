import { LRUCache } from 'lru-cache';
import type { OpenedMedia } from '../../core/agents/agent.ts';
import type { Clock } from '../../core/clock.ts';

/** Platform contract MED-9. */
const MAX_AGE_MS = 10 * 60_000;
const MAX_BYTES = 50 * 1024 * 1024;

export type ByteCache = LRUCache<string, OpenedMedia>;

/** Bytes of media, never links: those expire. The ones unused for longest go first. */
export function createByteCache(clock: Clock): ByteCache {
  return new LRUCache({
    maxSize: MAX_BYTES,
    // An empty file counts too: lru-cache takes no size of 0.
    sizeCalculation: ({ bytes }) => Math.max(1, bytes.byteLength),
    // lru-cache calls an entry stale only after its lifetime, and this cache at its end.
    ttl: MAX_AGE_MS - 1,
    ttlResolution: 0,
    perf: { now: () => clock.now() },
  });
}
