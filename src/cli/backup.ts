/** Implements `parley backup`, which copies the data folder, also while the bridge runs. Needs no shell and no SQLite. */

import { cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { BridgeError, codeOf } from '../errors.ts';
import { copyDatabase } from '../store/sqlite/copy.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { keepFilesPrivate } from './own-process.ts';
import { plain } from './print.ts';

/** Files of a running process, and files that SQLite's copy contains already. */
const LEFT_OUT = /\.sqlite-(wal|shm|journal)$|\.lock$|^\.doctor$/;
/** Folders of uploads. All other folders can be made again, or are earlier copies. */
const UPLOADS = /\.files$/;
const STORE = 'parley.sqlite';

/**
 * Copies everything that belongs together to a new folder, which appears only when it is complete.
 * @param target folder that does not exist yet, or is empty
 */
export async function backup(
  options: { readonly config?: string },
  deps: CommandDeps,
  [target]: readonly [string],
): Promise<number> {
  keepFilesPrivate();
  const { config } = await loadSettings(deps, options.config);
  if (config.database !== undefined) {
    throw new BridgeError(
      'usage',
      'With DATABASE_URL, the data is in PostgreSQL. Back the database up with pg_dump, and keep PARLEY_KEY.',
    );
  }
  const folder = resolve(config.data);
  const final = resolve(target);
  const names = await namesIn(folder);
  if (!names.includes(STORE)) {
    throw new BridgeError('usage', `${folder} contains no ${STORE}. Name the data folder with PARLEY_DATA.`);
  }
  let part: string | undefined;
  try {
    await mkdir(dirname(final), { recursive: true, mode: 0o700 });
    // A failure deletes this folder, so it must be a new one.
    part = await mkdtemp(`${final}.part-`);
    for (const name of names) {
      const [from, to] = [join(folder, name), join(part, name)];
      await (name.endsWith('.sqlite') ? copyDatabase(from, to) : cp(from, to, { recursive: true }));
    }
    await rename(part, final);
  } catch (thrown) {
    if (part !== undefined) await rm(part, { recursive: true, force: true });
    const cure = 'Name a new folder that this user can create.';
    throw new BridgeError('data-not-writable', `${final} cannot be written (${codeOf(thrown)}). ${cure}`);
  }
  console.log(plain(`${final} contains a copy of ${folder}: ${names.join(', ')}.`));
  return 0;
}

/**
 * Returns the names to copy, in order: the checkpoints beside the store, which may be read twice; the databases, the
 * store last, because it names what the others contain; and then the keys and the uploads.
 */
async function namesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const rank = (name: string): number =>
    name.endsWith('.pending') ? 0 : name === STORE ? 2 : name.endsWith('.sqlite') ? 1 : 3;
  return found
    .filter((entry) => (entry.isFile() ? !LEFT_OUT.test(entry.name) : UPLOADS.test(entry.name)))
    .map(({ name }) => name)
    .toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other));
}
