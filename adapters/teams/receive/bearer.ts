/**
 * Reads tokens and verifies them. A token is read before it is verified, so that one that cannot be valid is refused
 * without fetching Microsoft's keys.
 */

import type { KeyObject } from 'node:crypto';
import { compactVerify, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type Plain, readJson, text } from '../../../src/kit/ladder.ts';

/** The only signature algorithm that the Bot Connector's OpenID metadata lists. */
const ALGORITHM = 'RS256';
/** Maximum characters of the header `Authorization`. The Bot Connector's tokens have about 1,000. */
const MAX_CHARACTERS = 8_192;
const SCHEME = 'Bearer ';
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export interface Bearer {
  readonly token: string;
  /** Issuer that the token claims. */
  readonly issuer: string;
  /** Id of the bot that the token is for. */
  readonly audience: string;
  /** Id of the signing key. */
  readonly kid: string;
  /** Base address for calls about the conversation. */
  readonly serviceUrl: string;
  /** When the token expires, in seconds since the epoch. */
  readonly expiresAt: number;
}

export function readBearer(header = ''): Bearer | undefined {
  if (header.length > MAX_CHARACTERS || !header.startsWith(SCHEME)) return undefined;
  const token = header.slice(SCHEME.length);
  const read = readToken(token);
  if (read === undefined) return undefined;
  const { iss, aud, exp, serviceurl, appid, azp } = read.claims;
  const [issuer, audience, serviceUrl] = [iss, aud, serviceurl].map(text);
  if (issuer === undefined || audience === undefined || serviceUrl === undefined) return undefined;
  // Another app requested this token in order to call the bot, for example as a skill. Only the Bot Connector may call
  // the bot.
  if ([appid, azp].some((app) => app !== undefined && app !== audience)) return undefined;
  if (typeof exp !== 'number') return undefined;
  return { token, kid: read.kid, issuer, audience, serviceUrl, expiresAt: exp };
}

/**
 * Returns the id of the signing key and the claims, without verifying them; undefined if the token has another algorithm,
 * or a form that the bridge does not support.
 */
export function readToken(token: string): { readonly kid: string; readonly claims: Plain } | undefined {
  if (!SHAPE.test(token)) return undefined;
  const [head, claims = {}] = token.split('.').map(decoded);
  const { alg, crit, kid: named } = head ?? {};
  const kid = text(named);
  // `crit` lists extensions that a reader must support (RFC 7515, 4.1.11). The bridge supports none.
  return alg === ALGORITHM && crit === undefined && kid !== undefined ? { kid, claims } : undefined;
}

/** Resolves with true if the key signed the token, and its claims are as `expected`; without that, with any claims. */
export const isValid = (token: string, key: KeyObject, expected?: JWTVerifyOptions): Promise<boolean> => {
  const algorithms = [ALGORITHM];
  const verified = expected
    ? jwtVerify(token, key, { ...expected, algorithms })
    : compactVerify(token, key, { algorithms });
  return verified.then(
    () => true,
    () => false,
  );
};

/** Decodes one part of a token; returns undefined if it is not a JSON object. */
export const decoded = (part: string): Plain | undefined =>
  readJson(Buffer.from(part, 'base64url').toString('utf8'));
