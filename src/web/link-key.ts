import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BridgeError, codeOf } from '../errors.ts';

const KEY_BYTES = 32;

/**
 * Reads the key with which links are signed. It is created once and stored in the data folder, so that links stay
 * valid after a restart.
 */
export const readLinkKey = (folder: string): Promise<Uint8Array> =>
  readDataKey(folder, 'link.key', 'Links that were already given out then stop working');

/**
 * Reads a key of 32 random bytes from a file of the data folder; creates the file if it is missing. `loss` says what
 * happens if the key is lost, for error messages.
 */
export async function readDataKey(folder: string, name: string, loss: string): Promise<Uint8Array> {
  const file = join(folder, name);
  const key = (await readIfPresent(file)) ?? (await makeKey(file));
  if (key.byteLength === KEY_BYTES) return key;
  throw new BridgeError(
    'data-corrupt',
    `${file} does not contain a valid key. Delete the file, and the bridge makes a new key. ${loss}.`,
  );
}

const readIfPresent = (file: string): Promise<Uint8Array | undefined> =>
  readFile(file).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw notUsable(file, 'read', cause);
  });

/**
 * Writes the key to a temporary file, and renames the file once it is on disk. A full disk or a crash therefore never
 * leaves an empty key file, and no value is encrypted with a key that is then lost.
 */
async function makeKey(file: string): Promise<Uint8Array> {
  const key = randomBytes(KEY_BYTES);
  const made = `${file}.new`;
  try {
    // `flush` writes the file to disk before it is closed. An incomplete file that a crash left is overwritten.
    await writeFile(made, key, { mode: 0o600, flush: true });
    await rename(made, file);
    const folder = await open(dirname(file));
    await folder.sync().finally(() => folder.close());
    return key;
  } catch (cause) {
    await rm(made, { force: true }).catch(() => undefined);
    throw notUsable(file, 'write', cause);
  }
}

function notUsable(file: string, act: 'read' | 'write', cause: unknown): BridgeError {
  const cures: Readonly<Record<string, string>> = {
    ENOSPC: 'The disk is full. Free some space, then start again.',
    EDQUOT: 'The disk quota is used up. Free some space, then start again.',
  };
  const right = `Allow this user to ${act} there, or set PARLEY_DATA to another folder.`;
  return new BridgeError('data-not-writable', `Cannot ${act} ${file}. ${cures[codeOf(cause)] ?? right}`, {
    cause,
  });
}
