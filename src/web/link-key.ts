import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError, codeOf } from '../errors.ts';

const KEY_BYTES = 32;

/** The key of signed links, made once and kept in the data folder, so that links outlive a restart. */
export const readLinkKey = (folder: string): Promise<Uint8Array> =>
  readDataKey(folder, 'link.key', 'links that were given out end, nothing else');

/** A key of 32 random bytes, made once and kept in a file of the data folder. `loss`: what goes with it. */
export async function readDataKey(folder: string, name: string, loss: string): Promise<Uint8Array> {
  const file = join(folder, name);
  try {
    await writeFile(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST')
      throw new BridgeError(
        'data-not-writable',
        `Cannot write ${file}. Give the process the right to write there, or set PARLEY_DATA.`,
        { cause },
      );
  }
  const key = await readFile(file);
  if (key.byteLength === KEY_BYTES) return key;
  throw new BridgeError('data-corrupt', `${file} does not hold a key. Delete it: ${loss}.`);
}
