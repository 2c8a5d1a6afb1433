import { LRUCache } from 'lru-cache';
import { type Clock, orAborted } from '../core/clock.ts';
import { Secret } from '../secret.ts';
import { tryJson } from './json.ts';
import { asFields } from './shapes.ts';

/** A token, with the times at which it was issued and must be renewed, in milliseconds since the epoch. */
export interface Grant {
  readonly token: Secret;
  readonly issuedAt: number;
  readonly renewAt: number;
}

/** A token from a sign-in, and its lifetime in milliseconds; 0 or less if the lifetime is unknown. */
export interface Issued {
  readonly token: string;
  readonly lifeMs: number;
}

const MINUTE = 60_000;
/** Assumed lifetime of a token in milliseconds if the platform sent none (platform contract AUT-7). */
const UNKNOWN_LIFE_MS = 5 * MINUTE;
const LONGEST_LIFE_MS = 24 * 60 * MINUTE;
const SHORT_LIFE_MS = 300_000;
/**
 * Maximum number of stored tokens, one per platform account; the least recently used one is dropped first.
 */
const MAX_TOKENS = 10_000;

/**
 * Returns the time at which a token is renewed: after 80 % of its lifetime. If the lifetime is 5 minutes or more, the
 * renewal is at least a minute before its end (platform contract AUT-7).
 */
export function renewalTime(issued: Issued, now: number): number {
  const lifeMs = Number.isFinite(issued.lifeMs) && issued.lifeMs > 0 ? issued.lifeMs : UNKNOWN_LIFE_MS;
  const bound = (expiryOf(issued.token) ?? Infinity) - now;
  // If a new token seems to have expired already, the clock or the unit of the lifetime is wrong. Its expiry is then
  // ignored, because otherwise every call would fetch a new token.
  const life = Math.min(lifeMs, LONGEST_LIFE_MS, bound > 0 ? bound : Infinity);
  return now + (life < SHORT_LIFE_MS ? life * 0.8 : Math.min(life * 0.8, life - MINUTE));
}

/**
 * Returns the expiry time from the token's `exp` claim, if it is a JSON Web Token with three parts. The claim only
 * shortens the lifetime (platform contract AUT-5).
 */
function expiryOf(token: string): number | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const claims = tryJson(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
  const exp = asFields(claims)?.exp;
  return typeof exp === 'number' && exp > 0 ? exp * 1000 : undefined;
}

export type TokenCache = ReturnType<typeof createTokenCache>;

/**
 * @param lifetime aborts all pending requests. Callers share requests, so a single caller's signal must not abort
 * them.
 */
export function createTokenCache(clock: Clock, lifetime: AbortSignal) {
  // With `max`, lru-cache would allocate all entries at once.
  const cache = new LRUCache<string, Grant>({ maxSize: MAX_TOKENS, sizeCalculation: () => 1 });
  const pending = new Map<string, Promise<Grant>>();

  const request = async (key: string, obtain: (signal: AbortSignal) => Promise<Issued>): Promise<Grant> => {
    try {
      // The platform decides during the request, so the token's age counts from the start of the request.
      const issuedAt = clock.now();
      const issued = await obtain(lifetime);
      const grant = { token: new Secret(issued.token), issuedAt, renewAt: renewalTime(issued, clock.now()) };
      cache.set(key, grant);
      return grant;
    } finally {
      pending.delete(key);
    }
  };

  return {
    /**
     * Returns the token for this key. Concurrent callers share one request for a new token.
     * @param maxAgeMs age from which a stored token is not used, in milliseconds
     */
    get(
      key: string,
      obtain: (signal: AbortSignal) => Promise<Issued>,
      signal: AbortSignal,
      maxAgeMs = Number.POSITIVE_INFINITY,
    ) {
      const known = cache.get(key);
      const now = clock.now();
      const isFresh = known !== undefined && now < known.renewAt && now - known.issuedAt < maxAgeMs;
      if (isFresh) return Promise.resolve(known);
      const grant = pending.get(key) ?? request(key, obtain);
      pending.set(key, grant);
      return orAborted(grant, signal);
    },
    /** Removes this token from the cache. A newer token of the key is kept. */
    forget(key: string, grant: Grant) {
      if (cache.get(key) === grant) cache.delete(key);
    },
  };
}
