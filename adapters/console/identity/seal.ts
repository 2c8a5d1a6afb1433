/** Encrypts small values for cookies, so that browsers can neither read nor change them. */

import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { EncryptJWT, type JWTPayload, jwtDecrypt } from 'jose';
import type { Keyed } from '../../../src/kit/ladder.ts';

const KEY_BYTES = 32;
/** Time for which the key is stored, in milliseconds. Each start of the bridge stores it again. */
const KEY_MS = 400 * 24 * 60 * 60_000;
const KEY_NAME = 'console-sign-in-key';

export interface Seal {
  /**
   * Returns the claims as an encrypted token (JWE).
   * @param purpose audience of the token; `open` accepts it only for the same purpose
   * @param until time up to which `open` accepts the token, in milliseconds; rounded down to seconds
   */
  seal(claims: JWTPayload, purpose: string, until: number): Promise<string>;
  /** Returns the claims; undefined if `seal` did not make the token with this key and purpose, or if it has expired. */
  open(token: string, purpose: string, now: number): Promise<JWTPayload | undefined>;
  /** Returns a keyed hash of the text. The text cannot be computed from it. */
  digest(text: string): string;
}

/** Opens the key of the console's cookies. The store contains this key only encrypted with the bridge's own key. */
export async function openSeal(secrets: Keyed): Promise<Seal> {
  const fresh = randomBytes(KEY_BYTES).toString('base64url');
  let key = fresh;
  // Replicas that start together must use one key.
  const next = (stored: unknown) => {
    key = typeof stored === 'string' ? stored : fresh;
    return key;
  };
  await secrets.change(KEY_NAME, next, KEY_MS, 'nobody');
  return createSeal(Buffer.from(key, 'base64url'));
}

export function createSeal(key: Uint8Array): Seal {
  const encryption = derive(key, 'parley console pending 2');
  const hashing = derive(key, 'parley console session 1');
  return {
    seal: (claims, purpose, until) =>
      new EncryptJWT(claims)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(purpose)
        .setExpirationTime(new Date(until))
        .encrypt(encryption),
    async open(token, purpose, now) {
      const due = { audience: purpose, currentDate: new Date(now), requiredClaims: ['exp'] };
      const ciphers = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
      const opening = jwtDecrypt(token, encryption, { ...due, ...ciphers });
      return opening.then(
        ({ payload }) => payload,
        () => undefined,
      );
    },
    digest: (text) => createHmac('sha256', hashing).update(text).digest('base64url'),
  };
}

function derive(key: Uint8Array, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', label, KEY_BYTES));
}
