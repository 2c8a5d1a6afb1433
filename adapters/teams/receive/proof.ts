/** Verifies that a request comes from the Bot Connector, by its token's signature and claims. */

import type { Clock } from '../../../src/kit.ts';
import { type Bearer, isValid } from './bearer.ts';
import type { Keys } from './keys.ts';

type Proof =
  | { readonly kind: 'proven' }
  /** The token is not from the Bot Connector, not for this bot, expired, or not valid yet. */
  | { readonly kind: 'refused' }
  /** It is unknown whether the token is valid, because Microsoft's keys could not be fetched. */
  | { readonly kind: 'unknown'; readonly cause: unknown };

/**
 * Maximum difference between clocks, in seconds (Azure Bot Service, "Authenticate requests from the Bot Connector
 * service to your bot": "Industry-standard clock-skew is 5 minutes").
 */
const SKEW_S = 300;
/**
 * Maximum time until a token expires, in seconds; a token that expires later is refused. The Bot Connector's tokens
 * last an hour.
 */
const MAX_LIFE_S = 24 * 60 * 60;

export interface ProvingDeps {
  readonly keys: Keys;
  readonly clock: Clock;
  readonly issuer: string;
  /** Id of the bot that tokens must be for. */
  readonly audience: string;
}

/**
 * Verifies a token. Never rejects. Concurrent requests share one fetch of the keys, but the signature of each request
 * is checked.
 */
export async function prove(bearer: Bearer, deps: ProvingDeps): Promise<Proof> {
  const { keys, clock, issuer, audience } = deps;
  try {
    const key = await keys.find(bearer.kid);
    const now = clock.now();
    const expected = { issuer, audience, currentDate: new Date(now), clockTolerance: SKEW_S };
    const isShort = bearer.expiresAt <= Math.floor(now / 1_000) + MAX_LIFE_S;
    const isGood = key !== undefined && isShort && (await isValid(bearer.token, key, expected));
    return { kind: isGood ? 'proven' : 'refused' };
  } catch (cause) {
    return { kind: 'unknown', cause };
  }
}
