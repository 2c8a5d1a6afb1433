/**
 * The bridge's keys. A bridge without a database keeps them in its data folder. Replicas that share a database derive
 * all keys from PARLEY_KEY, so that each replica can read what another replica encrypted or signed.
 */

import { hkdfSync, scryptSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { NAMES } from '../core/stores/people-names.ts';
import type { Secret } from '../secret.ts';
import { readDataKey, readLinkKey } from '../web/link-key.ts';
import { ASKERS } from './asker-tokens.ts';
import { LINKS } from './link-records.ts';

export interface Keys {
  /** Resolves with the key of signed links to images and sources. */
  links(): Promise<Uint8Array>;
  /** Returns the current key of the encrypted state. */
  state(): Uint8Array;
}

const KEY_BYTES = 32;

/**
 * Opens the keys. Rejects with `data-not-writable` or `data-corrupt` if a key cannot be read from the data folder
 * or stored there.
 */
export async function openKeys(config: Pick<Config, 'key' | 'data' | 'database'>): Promise<Keys> {
  const { key, data, database } = config;
  if (database !== undefined && key !== undefined) return derivedKeys(key);
  return { links: () => readLinkKey(data), state: await readStateKey(config) };
}

/**
 * Derives the keys once. A rotated PARLEY_KEY therefore applies only after a restart. At the start, the bridge also
 * checks that the key belongs to the database.
 */
function derivedKeys(key: Secret): Keys {
  const links = derive(key, 'parley links 1');
  const state = derive(key, 'parley state 1');
  return { links: async () => links, state: () => state };
}

/**
 * Returns a value that a database stores to recognize the key. It is derived with a label of its own, so it
 * reveals no other key.
 */
export const fingerprintOf = (key: Secret): string => derive(key, 'parley fingerprint 1').toString('hex');

/**
 * Resolves with the keys of encrypted state in both stores, for a move: those of a data folder, which the bridge may have
 * used with or without PARLEY_KEY, and that of a database.
 */
export async function keysOfBoth(config: Pick<Config, 'data'> & { readonly key: Secret }) {
  const current = (await readStateKey(config))();
  const hasFile = existsSync(join(config.data, STATE_KEY));
  const earlier = hasFile ? [(await readStateKey({ data: config.data }))()] : [];
  const shared = derivedKeys(config.key).state();
  return {
    sqlite: { open: [current, ...earlier], seal: current },
    postgresql: { open: [shared], seal: shared },
  };
}

/** Namespace of finished replies in the store. */
export const REPLIES = 'replies';
const SEALED: readonly string[] = [ASKERS, LINKS, NAMES, REPLIES];

/** True if the values of a namespace are encrypted. */
export const isSealed = (namespace: string): boolean =>
  SEALED.includes(namespace) || namespace.startsWith('secrets ');

/** Returns a key for one purpose. The label separates it from all other keys that are derived from the secret. */
function derive(key: Secret, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key.reveal().trim(), '', label, KEY_BYTES));
}

/**
 * Salt of the derivation. It is constant, because each bridge has its own key and a salt would only distinguish equal
 * keys.
 */
const SALT = 'parley sealed state 1';
const STATE_KEY = 'state.key';

/**
 * Resolves with a function that returns the key of the encrypted state. If PARLEY_KEY is set, the key is derived from
 * it, and a rotated PARLEY_KEY applies immediately. Otherwise the key is read from a file, once.
 */
async function readStateKey({
  key,
  data,
}: Pick<Config, 'data'> & { readonly key?: Secret | undefined }): Promise<() => Uint8Array> {
  if (key === undefined) {
    const stored = await readDataKey(
      data,
      STATE_KEY,
      'The data that was encrypted with the old key is then lost',
    );
    return () => stored;
  }
  let made: { readonly text: string; readonly key: Uint8Array } | undefined;
  return () => {
    const text = key.reveal();
    if (made?.text !== text) made = { text, key: scryptSync(text, SALT, KEY_BYTES) };
    return made.key;
  };
}
