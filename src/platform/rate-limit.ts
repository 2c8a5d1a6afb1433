import { LRUCache } from 'lru-cache';
import { type Clock, orAborted } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import type { Transport } from './transport.ts';

/** The rate at which a deployment accepts requests (platform contract LIM-11). */
export interface RateLimit {
  /** Maximum requests per minute with one credential. */
  readonly perMinute: number;
  /** Maximum number of requests that may be sent at once after a pause. */
  readonly burst: number;
  /** Maximum number of waiting requests; further ones are refused. */
  readonly queue: number;
}

const MINUTE_MS = 60_000;
/** Maximum number of credentials whose rate is tracked; the least recently used one is dropped first. */
const MAX_CREDENTIALS = 10_000;

interface LimitDeps {
  readonly clock: Clock;
  /** Returns the number of processes that share the limit. Each sends an equal part of the requests. */
  replicas(): number;
}

/**
 * Returns a transport that keeps to the limit: it delays the requests of each credential, and sends them in order of
 * arrival.
 */
export function limited(transport: Transport, limit: RateLimit, deps: LimitDeps): Transport {
  const permits = new LRUCache<string, Permits>({
    // With `max`, lru-cache would allocate all entries at once.
    maxSize: MAX_CREDENTIALS,
    sizeCalculation: () => 1,
    memoMethod: () => permitsOf(limit, deps),
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
 * A token bucket that refills evenly. Waiting requests are sent in the order of their arrival. A request whose caller
 * aborts uses no token.
 */
function permitsOf({ perMinute, burst, queue }: RateLimit, { clock, replicas }: LimitDeps): Permits {
  /** Time at which the next token exists, in milliseconds since the epoch; in the past if the bucket holds tokens. */
  let next = Number.NEGATIVE_INFINITY;
  let waiting = 0;
  /** Resolves once all waiting requests were sent or aborted. */
  let last = Promise.resolve();
  const nextToken = () => {
    const sharing = Math.max(1, replicas());
    const gapMs = (MINUTE_MS / perMinute) * sharing;
    const ownBurst = Math.max(1, Math.floor(burst / sharing));
    const at = Math.max(next, clock.now() - (ownBurst - 1) * gapMs);
    return { at, gapMs, waitMs: at - clock.now() };
  };
  const wait = async (signal: AbortSignal): Promise<void> => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    waiting += 1;
    try {
      await orAborted(before, signal);
      const { at, gapMs, waitMs } = nextToken();
      if (waitMs > 0) await clock.wait(waitMs, signal);
      next = at + gapMs;
    } finally {
      waiting -= 1;
      void before.then(resolve);
    }
  };
  return async (operation, signal) => {
    const { at, gapMs, waitMs } = nextToken();
    if (waiting === 0 && waitMs <= 0) {
      next = at + gapMs;
      return;
    }
    if (waiting < queue) return wait(signal);
    throw new BridgeError(
      'platform-busy',
      `${operation} was not sent: ${queue} requests are already waiting because of the limit of ${perMinute} a minute (platform.rateLimit).`,
      {
        retryAfterMs: Math.ceil(Math.max(0, waitMs) + waiting * gapMs),
        facts: { operation, perMinute, queue },
      },
    );
  };
}
