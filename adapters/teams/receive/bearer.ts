/** What a request's token says of itself, before anything is proven: whatever could never be right is refused for free. */

import { type Plain, plain, text } from '../../../src/kit/json.ts';

/** Kinds of signatures that the Bot Connector may use; never one whose key is public. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512'];
/** Far above the Bot Connector's tokens, which have about 1,000 characters. */
const LONGEST = 8_192;

export interface Bearer {
  /** The header as it came. */
  readonly header: string;
  /** Who says that it made the token. */
  readonly issuer: string;
  /** Id of the bot that the token is for. */
  readonly audience: string;
  /** Which key it names as the one that signed it. */
  readonly kid: string;
  /** Where the token says that answers go. */
  readonly serviceUrl: string;
}

export function readBearer(header: string | undefined): Bearer | undefined {
  if (header === undefined || header.length > LONGEST) return undefined;
  const [, head, body] = /^Bearer ([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(header) ?? [];
  if (head === undefined || body === undefined) return undefined;
  const { alg, kid: named } = decoded(head);
  const kid = text(named);
  if (!ALGORITHMS.includes(String(alg)) || kid === undefined) return undefined;
  const { iss, aud, exp, serviceurl } = decoded(body);
  const [issuer, audience, serviceUrl] = [iss, aud, serviceurl].map(text);
  if (issuer === undefined || audience === undefined || serviceUrl === undefined) return undefined;
  return typeof exp === 'number' ? { header, kid, issuer, audience, serviceUrl } : undefined;
}

function decoded(part: string): Plain {
  try {
    return plain(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')));
  } catch {
    return {};
  }
}
