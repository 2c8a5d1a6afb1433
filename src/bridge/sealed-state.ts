import { scryptSync } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import type { Log } from '../core/log.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import type { Store } from '../store/index.ts';
import { sealKeyed } from '../store/sealed.ts';
import { readDataKey } from '../web/link-key.ts';

const KEY_BYTES = 32;
/** The same on every bridge: a key is one bridge's secret, so there are no two equal ones to tell apart. */
const SALT = 'parley sealed state 1';

/** State that is encrypted on disk, by namespace. */
export async function openSealed(
  config: Pick<Config, 'key' | 'data'>,
  { store, log }: { readonly store: Store; readonly log: Log },
): Promise<(namespace: string) => Keyed> {
  const key = await readSealingKey(config);
  return (namespace) => sealKeyed(store.keyed(namespace), { namespace, key, log });
}

/** The key of what is encrypted on disk: PARLEY_KEY where it is set (a rotated one counts at once), else a file's. */
async function readSealingKey({ key, data }: Pick<Config, 'key' | 'data'>): Promise<() => Uint8Array> {
  if (key === undefined) {
    const stored = await readDataKey(data, 'state.key', 'what was encrypted with it is lost, nothing else');
    return () => stored;
  }
  let made: { readonly text: string; readonly key: Uint8Array } | undefined;
  return () => {
    const text = key.reveal();
    if (made?.text !== text) made = { text, key: scryptSync(text, SALT, KEY_BYTES) };
    return made.key;
  };
}
