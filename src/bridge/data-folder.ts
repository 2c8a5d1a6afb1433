/** Checks the data folder before the store is opened: its files must belong together and be readable by the owner only. */

import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';

/** Files that the first start creates beside the store and that are never deleted before it: keys, and channels' stores. */
const NEIGHBOUR = /^(?!parley\.)(?:[\w-]+\.sqlite|link\.key|state\.key)$/;

/**
 * Detects that the store was lost: it is empty or missing, but files beside it are older. Throws `data-corrupt` if it is
 * empty, as a full disk or a failed copy leaves it. Logs a warning if it is missing, because a person removed it.
 */
export async function checkStore(file: string, folder: string, log: Log): Promise<void> {
  const size = await sizeOf(file);
  if (size !== undefined && size > 0) return;
  const beside = (await namesIn(folder)).filter((name) => NEIGHBOUR.test(name)).toSorted();
  const sizes = await Promise.all(beside.map((name) => sizeOf(join(folder, name))));
  const older = beside.filter((_, index) => (sizes[index] ?? 0) > 0).join(', ');
  if (older === '') return;
  if (size === 0) {
    throw new BridgeError(
      'data-corrupt',
      `The store ${file} is empty, but the files beside it are not (${older}). Put a backup of the whole data folder in its place. To start without the turns that it held, delete ${file}.`,
    );
  }
  log.warn(
    { beside: older },
    'The store parley.sqlite is missing, although older files stand beside it, so an empty one is created. Open questions are lost; see docs/operating.md.',
  );
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Size in bytes; undefined if the file does not exist. */
async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}

/** Name prefixes of the bridge's files and folders; other files in the folder are left alone. */
const OWN = /^(?:[\w-]+\.sqlite|link\.key|state\.key|sandbox$|terminal$|media$)/;

/** Makes files of an earlier version private to the owner. New files are created private (`keepFilesPrivate`). */
export async function closeToOthers(folder: string, log: Log): Promise<void> {
  try {
    for (const name of (await namesIn(folder)).filter((each) => OWN.test(each)))
      await close(join(folder, name));
  } catch (err) {
    log.warn(
      { err },
      'Other users may be able to read files in the data folder, because their permissions could not be changed.',
    );
  }
}

async function close(path: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry?.isDirectory()) {
    for (const name of await readdir(path)) await close(join(path, name));
  } else if (entry?.isFile() && (entry.mode & 0o077) !== 0) await chmod(path, 0o600);
}
