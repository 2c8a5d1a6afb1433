import { createHash } from 'node:crypto';

export interface SignedParts {
  readonly client: string;
  readonly secret: string;
  readonly account: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly nonce: string;
}

/**
 * The signature of a client sign-in (platform contract AUT-10). MD5 is the platform's choice; it protects nothing
 * that TLS does not.
 */
export function signature({ client, secret, account, timestamp, nonce }: SignedParts): string {
  const plain = `client:${client}secret:${secret}account:${account}timestamp:${timestamp}nonce:${nonce}`;
  return createHash('md5').update(plain, 'utf8').digest('hex');
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Six letters or digits (platform contract AUT-9). */
export function nonce(random: () => number): string {
  return Array.from({ length: 6 }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
}
