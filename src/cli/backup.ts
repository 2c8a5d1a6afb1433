/** Implements `parley backup`, which copies the data folder, also while the bridge runs. Needs no shell and no SQLite. */

import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { fingerprintOf } from '../bridge/keys.ts';
import { BridgeError, codeOf, usage } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { copyDatabase } from '../store/sqlite/copy.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { keepFilesPrivate } from './own-process.ts';
import { plain } from './print.ts';
import { projectVersion } from './project.ts';

/** Files that SQLite's copy contains already. */
const IN_COPY = /\.sqlite-(wal|shm|journal)$/;
/** Files of a running process, and the description of an earlier copy. */
const OF_PROCESS = /\.lock$|^\.doctor$|^backup\.json$/;
/** Folders of uploads. All other folders can be made again, or are earlier copies. */
const UPLOADS = /\.files$/;
export const STORE = 'parley.sqlite';
/** Name of the file that describes a copy. */
export const MANIFEST = 'backup.json';

/** The content of `backup.json` in a copy, with which `parley restore` checks the copy. */
export const manifestOf = z.object({
  /** Version of Parley that made the copy. */
  parley: z.string(),
  /** Fingerprint of PARLEY_KEY; null if there was none. */
  key: z.string().nullable(),
  /** Size of each file in bytes, by its path in the copy. */
  files: z.record(z.string(), z.number()),
});
export type Manifest = z.infer<typeof manifestOf>;

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
    throw usage(
      'With DATABASE_URL, the data is in PostgreSQL. Back the database up with pg_dump, and keep PARLEY_KEY.',
    );
  }
  const folder = resolve(config.data);
  const final = resolve(target);
  const names = (await namesIn(folder)).filter((name) => !IN_COPY.test(name));
  if (!names.includes(STORE)) {
    throw usage(`${folder} contains no ${STORE}. Name the data folder with PARLEY_DATA.`);
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
    await writeFile(join(part, MANIFEST), JSON.stringify(await describe(part, config.key), undefined, 2));
    await rename(part, final);
  } catch (thrown) {
    if (part !== undefined) await rm(part, { recursive: true, force: true });
    const cure = 'Name a new folder that this user can create.';
    throw new BridgeError('data-not-writable', `${final} cannot be written (${codeOf(thrown)}). ${cure}`);
  }
  console.log(plain(`${final} contains a copy of ${folder}: ${names.join(', ')}.`));
  return 0;
}

async function describe(folder: string, key: Secret | undefined): Promise<Manifest> {
  return {
    parley: projectVersion(),
    key: key === undefined ? null : fingerprintOf(key),
    files: await sizesIn(folder),
  };
}

/** Resolves with the size of each file in a folder and in its folders, by its path in the folder. */
export async function sizesIn(folder: string): Promise<Record<string, number>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const sizes = paths.map(async (path) => [relative(folder, path), (await stat(path)).size] as const);
  return Object.fromEntries(await Promise.all(sizes));
}

/**
 * Returns the names of the files and folders that belong together, in the order of a copy: the checkpoints beside the
 * store, which may be read twice; the databases, the store last, because it names what the others contain; and then the
 * keys and the uploads.
 */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const rank = (name: string): number =>
    name.endsWith('.pending') ? 0 : name === STORE ? 2 : name.endsWith('.sqlite') ? 1 : 3;
  return found
    .filter((entry) => (entry.isFile() ? !OF_PROCESS.test(entry.name) : UPLOADS.test(entry.name)))
    .map(({ name }) => name)
    .toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other));
}
