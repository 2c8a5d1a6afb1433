/** What a request's token says of itself, before anything is proven: whatever could never be right is refused for free. */

import { type Plain, readJson, text } from '../../../src/kit/json.ts';

/** The only signature that the Bot Connector's OpenID metadata names. */
export const ALGORITHM = 'RS256';
/** Far above the Bot Connector's tokens, which have about 1,000 characters. */
const LONGEST = 8_192;
const SHAPE = /^Bearer [\w-]+\.[\w-]+\.[\w-]+$/;

export interface Bearer {
  readonly token: string;
  /** Who says that it made the token. */
  readonly issuer: string;
  /** Id of the bot that the token is for. */
  readonly audience: string;
  /** Which key it names as the one that signed it. */
  readonly kid: string;
  /** Where the token says that answers go. */
  readonly serviceUrl: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

export function readBearer(header: string | undefined): Bearer | undefined {
  if (header === undefined || header.length > LONGEST || !SHAPE.test(header)) return undefined;
  const token = header.slice('Bearer '.length);
  const [head, body] = token.split('.').map(decoded);
  const { alg, crit, kid: named } = head ?? {};
  const kid = text(named);
  // `crit` names extensions that must be understood (RFC 7515, 4.1.11), and none is.
  if (alg !== ALGORITHM || crit !== undefined || kid === undefined) return undefined;
  const { iss, aud, exp, serviceurl, appid, azp } = body ?? {};
  const [issuer, audience, serviceUrl] = [iss, aud, serviceurl].map(text);
  if (issuer === undefined || audience === undefined || serviceUrl === undefined) return undefined;
  // A token that one app asked for to reach another, such as a skill's.
  if ([appid, azp].some((app) => app !== undefined && app !== audience)) return undefined;
  if (typeof exp !== 'number') return undefined;
  return { token, kid, issuer, audience, serviceUrl, expiresAt: exp };
}

export const decoded = (part: string): Plain | undefined =>
  readJson(Buffer.from(part, 'base64url').toString('utf8'));
