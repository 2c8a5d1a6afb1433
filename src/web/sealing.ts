/** Encrypts and authenticates texts. Every signed link has such a text as its last path segment. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Maximum length of a sealed text, in characters, because common proxies refuse request lines above 8 KiB. */
const LONGEST = 8_192;

/**
 * Encrypts and authenticates with AES-256-GCM. The nonce is derived from the text, so that equal texts get equal
 * links. Each purpose has its own keys, so that a link made for one purpose is invalid for all others (attack S25).
 * @param key 32 random bytes that survive restarts
 */
export function createSealer(key: Uint8Array, purpose: string) {
  const cipherKey = deriveKey(key, `${purpose}: encryption`);
  const nonceKey = deriveKey(key, `${purpose}: nonce`);
  return {
    /**
     * Returns the sealed text. It is URL-safe, and equal for equal texts. Returns undefined if it would be longer than
     * the limit.
     */
    seal(plain: string) {
      const iv = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, IV_BYTES);
      const cipher = createCipheriv(CIPHER, cipherKey, iv);
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      const text = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
      return text.length > LONGEST ? undefined : text;
    },
    /** Returns the text; undefined if it was not sealed with this key for this purpose. */
    open: (sealed: string) => decrypt(cipherKey, sealed),
  };
}

function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
}

function decrypt(key: Buffer, sealed: string): string | undefined {
  if (sealed.length > LONGEST) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  // Base64 decoding ignores unknown characters and unused bits. Without this check, several addresses would lead to the
  // same content.
  if (bytes.toString('base64url') !== sealed) return undefined;
  try {
    // Without a fixed length, GCM accepts an authentication tag of only 4 bytes, which can be guessed.
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), options);
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
