/**
 * RSA keys that sign Microsoft's tokens, and keys that must not be accepted. Made once per process, because each takes
 * about 100 ms.
 */

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Json } from '../read.ts';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Channels whose activities the key may sign; `[]` for the login service's key. */
  readonly endorsements: readonly string[];
}

export interface Keys {
  /** Signs Teams' requests to the bot. */
  readonly connector: SigningKey;
  /** Another key of the Bot Connector, endorsed for another channel. */
  readonly otherChannel: SigningKey;
  /** A published key without endorsements; it must not sign activities. */
  readonly unendorsed: SigningKey;
  /** The connector's next key; published by `publish`. */
  readonly next: SigningKey;
  /** Signs the login service's tokens for apps. */
  readonly login: SigningKey;
  /** A published key of the login service that signs only for personal Microsoft accounts. */
  readonly consumers: SigningKey;
  /** A key that is not published. */
  readonly foreign: SigningKey;
}

let made: Keys | undefined;

export function keys(): Keys {
  made ??= {
    connector: makeKey(['msteams']),
    otherChannel: makeKey(['webchat', 'directline']),
    unendorsed: makeKey([]),
    next: makeKey(['msteams']),
    login: makeKey([]),
    consumers: makeKey([]),
    foreign: makeKey([]),
  };
  return made;
}

function makeKey(endorsements: readonly string[]): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '' } = publicKey.export({ format: 'jwk' });
  const kid = createHash('sha256').update(n).digest('base64url').slice(0, 27);
  return { kid, privateKey, publicKey, endorsements };
}

export function jwkOf({ kid, publicKey, endorsements }: SigningKey): Json {
  const { n, e } = publicKey.export({ format: 'jwk' });
  return {
    kty: 'RSA',
    use: 'sig',
    kid,
    x5t: kid,
    n,
    e,
    ...(endorsements.length === 0 ? {} : { endorsements }),
  };
}

const encoded = (part: Json): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Returns a JSON Web Token; signed with RS256 unless the header names another algorithm. */
export function signToken(key: SigningKey, claims: Json, header: Json = {}): string {
  const head = { typ: 'JWT', alg: 'RS256', kid: key.kid, x5t: key.kid, ...header };
  const unsigned = `${encoded(head)}.${encoded(claims)}`;
  const hash = head.alg.replace('RS', 'sha');
  return `${unsigned}.${sign(hash, Buffer.from(unsigned), key.privateKey).toString('base64url')}`;
}

/** Returns a token with another kind of signature, or with none. */
export function otherToken(header: Json, claims: Json, signed: (unsigned: string) => string): string {
  const unsigned = `${encoded(header)}.${encoded(claims)}`;
  return `${unsigned}.${signed(unsigned)}`;
}

export function readToken(value: string): { header: Json; claims: Json } | undefined {
  const [header, claims] = value.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'));
  try {
    return { header: JSON.parse(header ?? '') as Json, claims: JSON.parse(claims ?? '') as Json };
  } catch {
    return undefined;
  }
}
