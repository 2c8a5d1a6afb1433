import { LRUCache } from 'lru-cache';
import { type Clock, orAborted } from '../core/clock.ts';
import { Secret } from '../secret.ts';
import { tryJson } from './json.ts';
import { asFields } from './shapes.ts';

/** A token and when to renew it, milliseconds since the epoch. */
export interface Grant {
  readonly token: Secret;
  readonly renewAt: number;
}

/** A token as an operation gave it; its life in milliseconds, not positive when unknown. */
export interface Issued {
  readonly token: string;
  readonly lifeMs: number;
}

const MINUTE = 60_000;
/** A life that the platform did not tell (platform contract AUT-7). */
const UNKNOWN_LIFE_MS = 5 * MINUTE;
const LONGEST_LIFE_MS = 24 * 60 * MINUTE;
const SHORT_LIFE_MS = 300_000;
/** Tokens kept: one for each platform account in use; the one unused for longest goes first. */
const MAX_TOKENS = 10_000;

/** When to renew: at 80 % of the life, at least a minute before its end unless it is short (platform contract AUT-7). */
export function renewalTime(issued: Issued, now: number): number {
  const told = Number.isFinite(issued.lifeMs) && issued.lifeMs > 0 ? issued.lifeMs : UNKNOWN_LIFE_MS;
  const bound = (expiryOf(issued.token) ?? Infinity) - now;
  // A new token that has ended already shows a wrong clock or unit, and would be fetched again by every call.
  const life = Math.min(told, LONGEST_LIFE_MS, bound > 0 ? bound : Infinity);
  return now + (life < SHORT_LIFE_MS ? life * 0.8 : Math.min(life * 0.8, life - MINUTE));
}

/** The `exp` of a token of three dot-separated parts, as an upper bound only (platform contract AUT-5). */
function expiryOf(token: string): number | undefined {
  const parts = token.split('.');
  if (parts.length !== 3) return undefined;
  const claims = tryJson(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
  const exp = asFields(claims)?.exp;
  return typeof exp === 'number' && exp > 0 ? exp * 1000 : undefined;
}

export interface TokenCache {
  /** The token under this key; one request at a time obtains it, whoever asks. */
  get(key: string, obtain: (signal: AbortSignal) => Promise<Issued>, signal: AbortSignal): Promise<Grant>;
  /** Forgets this grant; a newer one under the key stays. */
  forget(key: string, grant: Grant): void;
}

/** @param lifetime ends every flight; flights are shared, so no single caller's abort may end one */
export function createTokenCache(clock: Clock, lifetime: AbortSignal): TokenCache {
  const kept = new LRUCache<string, Grant>({ max: MAX_TOKENS });
  const flights = new Map<string, Promise<Grant>>();

  const fly = async (key: string, obtain: (signal: AbortSignal) => Promise<Issued>): Promise<Grant> => {
    try {
      const issued = await obtain(lifetime);
      const grant = { token: new Secret(issued.token), renewAt: renewalTime(issued, clock.now()) };
      kept.set(key, grant);
      return grant;
    } finally {
      flights.delete(key);
    }
  };

  return {
    get(key, obtain, signal) {
      const known = kept.get(key);
      if (known !== undefined && clock.now() < known.renewAt) return Promise.resolve(known);
      const flight = flights.get(key) ?? fly(key, obtain);
      flights.set(key, flight);
      return orAborted(flight, signal);
    },
    forget(key, grant) {
      if (kept.get(key) === grant) kept.delete(key);
    },
  };
}
