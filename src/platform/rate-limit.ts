import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import type { Transport } from './transport.ts';

/** Maximum number of requests that a deployment allows (platform contract LIM-11). */
export interface RateLimit {
  /** Number of requests per minute of one credential. */
  readonly perMinute: number;
  /** Number of requests that may be sent at once after a pause. */
  readonly burst: number;
  /** Maximum number of waiting requests; further ones are refused. */
  readonly queue: number;
}

const MINUTE_MS = 60_000;
/** Maximum number of credentials that are tracked; the least recently used one is dropped first. */
const MAX_CREDENTIALS = 10_000;

/**
 * Returns a transport that delays the requests of each credential to keep the limit; requests are sent in
 * order of arrival.
 */
export function limited(transport: Transport, limit: RateLimit, clock: Clock): Transport {
  const permits = new LRUCache<string, Permits>({
    max: MAX_CREDENTIALS,
    memoMethod: () => permitsOf(limit, clock),
  });
  return {
    send: async (request) => {
      const { headers, operation, signal } = request;
      const take = permits.memo(headers.authorization ?? headers['api-key'] ?? '');
      await take(operation, signal);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

/** Resolves when the request may be sent. */
type Permits = (operation: string, signal: AbortSignal) => Promise<void>;

/**
 * A token bucket that refills evenly. Each waiting request has a reserved time, so that a later one cannot
 * overtake it.
 */
function permitsOf({ perMinute, burst, queue }: RateLimit, clock: Clock): Permits {
  const gapMs = MINUTE_MS / perMinute;
  /** Time of the next permit if the bucket is empty, in milliseconds since the epoch. */
  let next = clock.now() - burst * gapMs;
  let waiting = 0;
  return async (operation, signal) => {
    const now = clock.now();
    const own = Math.max(next, now - (burst - 1) * gapMs);
    const waitMs = own - now;
    if (waitMs > 0 && waiting >= queue) {
      throw new BridgeError(
        'platform-busy',
        `${operation} was not sent: ${queue} requests are already waiting because of the limit of ${perMinute} a minute (platform.rateLimit).`,
        { retryAfterMs: Math.ceil(waitMs), facts: { operation, perMinute, queue } },
      );
    }
    next = own + gapMs;
    if (waitMs <= 0) return;
    waiting += 1;
    await clock.wait(waitMs, signal).finally(() => {
      waiting -= 1;
    });
  };
}
