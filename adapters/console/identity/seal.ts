/** Encrypts small values for cookies, so that browsers can neither read nor change them. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { KeyValues } from '../../../src/kit/ladder.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Maximum characters of a sealed value that is decrypted. */
const SEALED_CHARS = 4_096;
/** Time for which the key is stored, in milliseconds. Each start of the bridge stores it again. */
const KEY_MS = 400 * 24 * 60 * 60_000;
const KEY_NAME = 'console-sign-in-key';

export interface Seal {
  seal(value: unknown): string;
  /** Returns the value; undefined if the text was not made by `seal` with this key. */
  open(sealed: string): unknown;
  /** Returns a keyed hash of the text. The text cannot be computed from it. */
  digest(text: string): string;
}

/** Opens the key of the console's cookies. The store contains this key only encrypted with the bridge's own key. */
export async function openSeal(secrets: KeyValues): Promise<Seal> {
  const stored = await secrets.get(KEY_NAME);
  const text = typeof stored === 'string' ? stored : randomBytes(KEY_BYTES).toString('base64url');
  await secrets.set(KEY_NAME, text, KEY_MS, 'nobody');
  return createSeal(Buffer.from(text, 'base64url'));
}

export function createSeal(key: Uint8Array): Seal {
  const encryption = derive(key, 'parley console pending 1');
  const hashing = derive(key, 'parley console session 1');
  return {
    seal(value) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryption, iv);
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(sealed) {
      if (sealed.length > SEALED_CHARS) return undefined;
      try {
        const bytes = Buffer.from(sealed, 'base64url');
        // Decoding ignores unknown characters and unused bits, so without this check a changed text could be opened.
        if (bytes.toString('base64url') !== sealed) return undefined;
        const decipher = createDecipheriv('aes-256-gcm', encryption, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        const text = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()];
        return JSON.parse(Buffer.concat(text).toString('utf8'));
      } catch {
        return undefined;
      }
    },
    digest: (text) => createHmac('sha256', hashing).update(text).digest('base64url'),
  };
}

function derive(key: Uint8Array, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', label, KEY_BYTES));
}
