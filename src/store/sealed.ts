import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Log } from '../core/log.ts';
import type { Keyed } from '../core/stores/keyed.ts';

/**
 * AES-256-GCM as recommended by NIST SP 800-38D: a separate 96-bit nonce for every value, and a 128-bit tag.
 */
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface Sealing {
  readonly namespace: string;
  /** Returns the current 32-byte key. */
  key(): Uint8Array;
  readonly log: Log;
}

/**
 * Returns keyed state whose values are encrypted on disk. Each value is bound to its namespace and to its key in the
 * store. Without the encryption key, a value cannot be read, changed or moved. A value that cannot be decrypted counts
 * as missing, and this is logged.
 */
export function sealKeyed(keyed: Keyed, sealing: Sealing): Keyed {
  const opened = (sealed: unknown, key: string) => openSealed(sealed, key, sealing);
  return {
    get: async (key) => opened(await keyed.get(key), key),
    set: (key, value, ttlMs, owner) => keyed.set(key, seal(value, key, sealing), ttlMs, owner),
    change: (key, next, ttlMs, owner) =>
      keyed.change(
        key,
        (sealed) => {
          const value = next(opened(sealed, key));
          return value === undefined ? undefined : seal(value, key, sealing);
        },
        ttlMs,
        owner,
      ),
    delete: (key) => keyed.delete(key),
  };
}

/**
 * Decrypts the value that is stored under `key`. Returns undefined if there is no value, or if it cannot be decrypted.
 */
export const openSealed = (sealed: unknown, key: string, sealing: Sealing): unknown =>
  sealed === undefined ? undefined : open(sealed, key, sealing);

/** The namespace and the key of a value, to which the encrypted value is bound. */
interface Place {
  readonly namespace: string;
  readonly key: string;
}

const bytesOf = ({ namespace, key }: Place): Buffer => Buffer.from(JSON.stringify([namespace, key]));

const seal = (value: unknown, key: string, { namespace, ...sealing }: Sealing): string =>
  sealText(JSON.stringify(value), { namespace, key }, sealing.key());

/** Encrypts a text with a 32-byte key. */
export function sealText(text: string, place: Place, key: Uint8Array): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(bytesOf(place));
  const hidden = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...hidden]).toString('base64');
}

/** Decrypts a text. Returns undefined if it was not encrypted with the key for this place. */
export function openText(sealed: string, place: Place, key: Uint8Array): string | undefined {
  try {
    const bytes = Buffer.from(sealed, 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(bytesOf(place));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const plain = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(plain).toString('utf8');
  } catch {
    return undefined;
  }
}

function open(sealed: unknown, key: string, { namespace, log, ...sealing }: Sealing): unknown {
  const text = openText(String(sealed), { namespace, key }, sealing.key());
  if (text !== undefined) return JSON.parse(text);
  log.error(
    { namespace },
    'An encrypted value cannot be read with the current key and stays as it is. Set PARLEY_KEY to the key that it was encrypted with.',
  );
  return undefined;
}
