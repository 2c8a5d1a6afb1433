/**
 * Implements `parley restore`, which puts a copy of the data folder in the place of the present data. Everything happens
 * inside the data folder, because the data folder of a container is a volume, which cannot be renamed as a whole.
 *
 * 1. The copy is copied into `PART` and checked there. Renaming `PART` decides that the restore happens.
 * 2. The present files are moved into `ASIDE`, and then the new ones into the data folder.
 *
 * A restore that was interrupted after step 1 is finished by the next one. No bridge starts before that.
 */

import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { satisfies } from 'semver';
import { RESTORING } from '../bridge/data.ts';
import { fingerprintOf } from '../bridge/keys.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import { BridgeError, codeOf, usage } from '../errors.ts';
import { checkCopy } from '../store/sqlite/copy.ts';
import { lockStore } from '../store/sqlite/database.ts';
import { MANIFEST, type Manifest, manifestOf, namesIn, STORE, sizesIn } from './backup.ts';
import { type CommandDeps, loadSettings } from './channels.ts';
import { keepFilesPrivate } from './own-process.ts';
import { plain } from './print.ts';
import { projectVersion } from './project.ts';

const PART = '.restore.part';
const ASIDE = '.restore.aside';

interface RestoreOptions {
  readonly config?: string;
  /** True if data that is already in the data folder may be moved aside. */
  readonly replace?: true;
}

/** Restores the copy, or finishes the restore that was interrupted before. @param copy the folder of the copy */
export async function restore(
  { config: file, replace }: RestoreOptions,
  deps: CommandDeps,
  [copy]: readonly [string],
): Promise<number> {
  keepFilesPrivate();
  const { config } = await loadSettings(deps, file);
  if (config.database !== undefined) {
    throw usage(
      'With DATABASE_URL, the data is in PostgreSQL. Restore the database with pg_restore, or unset DATABASE_URL.',
    );
  }
  const folder = resolve(config.data);
  const from = resolve(copy);
  if (from === folder) throw usage(`${from} is the data folder itself. Name the folder of a copy.`);
  const { unlock } = lockStore(join(folder, STORE));
  try {
    const wasInterrupted = [...Object.values(RESTORING), ASIDE].some((name) =>
      existsSync(join(folder, name)),
    );
    if (!wasInterrupted) await prepare(from, folder, config, replace === true);
    const aside = await place(folder);
    const what = wasInterrupted ? 'the copy whose restore was interrupted' : from;
    console.log(plain(`${folder} now contains ${what}: ${(await namesIn(folder)).join(', ')}.`));
    if (aside !== undefined) console.log(plain(`The data that was there before is in ${aside}.`));
    return 0;
  } catch (thrown) {
    if (thrown instanceof BridgeError) throw thrown;
    const cure = 'Give this user the right to write there, and enough space. Then run the command again.';
    throw new BridgeError('data-not-writable', `${folder} cannot be written (${codeOf(thrown)}). ${cure}`);
  } finally {
    unlock();
  }
}

/** Copies and checks everything before the data folder changes. */
async function prepare(
  from: string,
  folder: string,
  { key }: Pick<Config, 'key'>,
  mayReplace: boolean,
): Promise<void> {
  const names = await namesIn(from);
  if (!names.includes(STORE)) {
    throw usage(`${from} contains no ${STORE}, so it is no complete copy. Name a folder that backup made.`);
  }
  if (!mayReplace && (await namesIn(folder)).length > 0) {
    throw usage(
      `${folder} already contains data. Add --replace to move this data aside, or name another folder with PARLEY_DATA.`,
    );
  }
  const manifest = await readManifest(from);
  if (manifest === undefined)
    console.log(plain(`${from} has no ${MANIFEST}, so only its databases are checked.`));
  else refuseOther(from, manifest, key === undefined ? null : fingerprintOf(key));
  const part = join(folder, PART);
  try {
    await rm(part, { recursive: true, force: true });
    await mkdir(part, { mode: 0o700 });
    for (const name of names) await cp(join(from, name), join(part, name), { recursive: true });
    if (manifest !== undefined) await checkFiles(from, part, manifest);
    for (const name of names.filter((each) => each.endsWith('.sqlite'))) checkFile(from, part, name);
    await rename(part, join(folder, RESTORING.ready));
  } catch (thrown) {
    await rm(part, { recursive: true, force: true });
    throw thrown;
  }
}

async function readManifest(from: string): Promise<Manifest | undefined> {
  const file = join(from, MANIFEST);
  if (!existsSync(file)) return undefined;
  try {
    return manifestOf.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    throw damaged(from, `${MANIFEST} cannot be read`);
  }
}

/** Throws if a newer version made the copy, or if its encrypted values cannot be read with the key. */
function refuseOther(from: string, { parley, key }: Manifest, own: string | null): void {
  const version = projectVersion();
  if (!satisfies(parley, `<=${version}`, { includePrerelease: true })) {
    throw new BridgeError(
      'data-corrupt',
      `Parley ${parley} made ${from}, and this is Parley ${version}. Nothing was changed. Restore it with Parley ${parley} or a newer version.`,
    );
  }
  if (key === own) return;
  const [made, cure] =
    key === null
      ? ['without PARLEY_KEY', 'Unset PARLEY_KEY.']
      : [`with another PARLEY_KEY (fingerprint ${key.slice(0, 8)})`, 'Set PARLEY_KEY to that key.'];
  throw new BridgeError(
    'config-invalid',
    `${from} was made ${made}, so the bridge could not read its encrypted values. Nothing was changed. ${cure}`,
  );
}

async function checkFiles(from: string, part: string, { files }: Manifest): Promise<void> {
  const found = await sizesIn(part);
  for (const [name, size] of Object.entries(files)) {
    if (found[name] === undefined) throw damaged(from, `${name} is missing`);
    if (found[name] !== size) throw damaged(from, `${name} has ${found[name]} bytes instead of ${size}`);
  }
}

function checkFile(from: string, part: string, name: string): void {
  try {
    checkCopy(join(part, name), name === STORE);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw damaged(from, `${name}: ${reason.replaceAll(part, from).replace(/\.$/, '')}`);
  }
}

const damaged = (from: string, what: string): BridgeError =>
  new BridgeError(
    'data-corrupt',
    `The copy ${from} cannot be restored (${what}). Nothing was changed. Use another copy.`,
  );

/** Moves the present files aside and the new ones into their place. Resolves with the folder of the earlier files. */
async function place(folder: string): Promise<string | undefined> {
  const [ready, placing] = [join(folder, RESTORING.ready), join(folder, RESTORING.placing)];
  const aside = join(folder, ASIDE);
  if (existsSync(ready)) {
    await mkdir(aside, { recursive: true, mode: 0o700 });
    for (const name of await namesIn(folder)) await rename(join(folder, name), join(aside, name));
    await rename(ready, placing);
  }
  if (existsSync(placing)) {
    for (const name of await readdir(placing)) await rename(join(placing, name), join(folder, name));
    await rmdir(placing);
  }
  if ((await readdir(aside)).length === 0) {
    await rmdir(aside);
    return undefined;
  }
  const time = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const earlier = join(folder, `replaced-${time}`);
  await rename(aside, earlier);
  return earlier;
}
