import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import type { Transport } from './transport.ts';

/** Maximum number of requests that a deployment allows (platform contract LIM-11). */
export interface RateLimit {
  /** Requests of one credential in a minute. */
  readonly perMinute: number;
  /** Requests that may go at once after a pause. */
  readonly burst: number;
  /** Requests that may wait; one more is refused. */
  readonly queue: number;
}

const MINUTE_MS = 60_000;
/** Credentials that are counted; the one unused for longest is forgotten first. */
const MAX_CREDENTIALS = 10_000;

/** A transport that sends the requests of each credential no faster than the limit, in the order in which they came. */
export function limited(transport: Transport, limit: RateLimit, clock: Clock): Transport {
  const buckets = new LRUCache<string, Bucket>({
    max: MAX_CREDENTIALS,
    memoMethod: () => new Bucket(limit, clock),
  });
  return {
    send: async (request) => {
      const { headers, operation, signal } = request;
      await buckets.memo(headers.authorization ?? headers['api-key'] ?? '').take(operation, signal);
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

/** A bucket that fills evenly. Whoever waits has a place in time already, so none overtakes another. */
class Bucket {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #gapMs: number;
  /** When the next request may go if the bucket is empty, milliseconds since the epoch. */
  #next: number;
  #waiting = 0;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
    this.#gapMs = MINUTE_MS / limit.perMinute;
    this.#next = clock.now() - limit.burst * this.#gapMs;
  }

  async take(operation: string, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const full = now - (this.#limit.burst - 1) * this.#gapMs;
    const mine = Math.max(this.#next, full);
    const waitMs = mine - now;
    if (waitMs <= 0) {
      this.#next = mine + this.#gapMs;
      return;
    }
    if (this.#waiting >= this.#limit.queue) throw this.#refused(operation, waitMs);
    this.#next = mine + this.#gapMs;
    this.#waiting += 1;
    try {
      await this.#clock.wait(waitMs, signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  #refused(operation: string, waitMs: number): BridgeError {
    const { perMinute, queue } = this.#limit;
    return new BridgeError(
      'platform-busy',
      `${operation} was not sent: ${queue} requests wait already for the limit of ${perMinute} a minute (platform.rateLimit).`,
      { retryAfterMs: Math.ceil(waitMs), facts: { operation, perMinute, queue } },
    );
  }
}
