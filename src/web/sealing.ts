/** Encrypts and authenticates texts: the last path segment of every signed link. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Maximum length of a sealed text, in characters: common proxies refuse request lines above 8 KiB. */
const LONGEST = 8_192;

interface Sealer {
  /**
   * Returns the sealed text: URL-safe, and equal for equal texts. Returns undefined if it would be too long
   * to open.
   */
  seal(plain: string): string | undefined;
  /** Returns the text; undefined unless this key sealed it for this purpose. */
  open(sealed: string): string | undefined;
}

/**
 * Encrypts and authenticates with AES-256-GCM. The nonce is derived from the text, so that equal texts get
 * equal links. Each purpose has keys of its own, so a link made for one purpose is invalid for all others
 * (attack S25). @param key 32 random bytes that survive restarts
 */
export function createSealer(key: Uint8Array, purpose: string): Sealer {
  const cipherKey = deriveKey(key, `${purpose}: encryption`);
  const nonceKey = deriveKey(key, `${purpose}: nonce`);
  return {
    seal(plain) {
      const iv = createHmac('sha256', nonceKey).update(plain).digest().subarray(0, IV_BYTES);
      const cipher = createCipheriv(CIPHER, cipherKey, iv);
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      const text = Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
      return text.length > LONGEST ? undefined : text;
    },
    open: (sealed) => decrypt(cipherKey, sealed),
  };
}

function deriveKey(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
}

function decrypt(key: Buffer, sealed: string): string | undefined {
  if (sealed.length > LONGEST) return undefined;
  const bytes = Buffer.from(sealed, 'base64url');
  // Decoding ignores unknown characters and spare bits, but each text must have exactly one address.
  if (bytes.toString('base64url') !== sealed) return undefined;
  try {
    // Without a fixed length, GCM accepts a tag of 4 bytes, which can be guessed.
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), options);
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const plain = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
    return Buffer.concat([plain, decipher.final()]).toString();
  } catch {
    return undefined;
  }
}
