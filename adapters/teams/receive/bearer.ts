/**
 * Reads a request's token without verifying it, so that a token that cannot be valid is refused without fetching
 * Microsoft's keys.
 */

import { type Plain, readJson, text } from '../../../src/kit/json.ts';

/** The only signature algorithm that the Bot Connector's OpenID metadata lists. */
export const ALGORITHM = 'RS256';
/** Maximum characters of the header `Authorization`. The Bot Connector's tokens have about 1,000. */
const MAX_CHARACTERS = 8_192;
const SHAPE = /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/;

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

export function readBearer(header: string | undefined): Bearer | undefined {
  if (header === undefined || header.length > MAX_CHARACTERS || !SHAPE.test(header)) return undefined;
  const token = header.slice('Bearer '.length);
  const [head, body] = token.split('.').map(decoded);
  const { alg, crit, kid: named } = head ?? {};
  const kid = text(named);
  // `crit` lists extensions that a reader must support (RFC 7515, 4.1.11). The bridge supports none.
  if (alg !== ALGORITHM || crit !== undefined || kid === undefined) return undefined;
  const { iss, aud, exp, serviceurl, appid, azp } = body ?? {};
  const [issuer, audience, serviceUrl] = [iss, aud, serviceurl].map(text);
  if (issuer === undefined || audience === undefined || serviceUrl === undefined) return undefined;
  // Another app requested this token in order to call the bot, for example as a skill. Only the Bot Connector may call
  // the bot.
  if ([appid, azp].some((app) => app !== undefined && app !== audience)) return undefined;
  if (typeof exp !== 'number') return undefined;
  return { token, kid, issuer, audience, serviceUrl, expiresAt: exp };
}

/** Decodes one part of a token; returns undefined if it is not a JSON object. */
export const decoded = (part: string): Plain | undefined =>
  readJson(Buffer.from(part, 'base64url').toString('utf8'));
