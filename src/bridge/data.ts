/**
 * The data folder: the checks before the store is opened, the permissions of its files, and
 * the hourly deletion of expired data.
 */

import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';
import type { Store } from '../store/index.ts';

/**
 * Matches files that the first start creates next to the store: the keys and the stores of channels. If such a file
 * has content, a store existed as well.
 */
const NEIGHBOUR = /^(?!parley\.)(?:[\w-]+\.sqlite|link\.key|state\.key)$/;

/**
 * Folders in the data folder with the files of `parley restore`: those that wait until the present files have been moved
 * away, and those that are being moved into the data folder.
 */
export const RESTORING = { ready: '.restore.ready', placing: '.restore.placing' };

/**
 * Throws `data-corrupt` if `parley restore` was interrupted, because the data folder may then contain only some of the
 * files that belong together.
 */
async function refuseHalfRestored(folder: string): Promise<void> {
  const names = await namesIn(folder);
  if (!Object.values(RESTORING).some((name) => names.includes(name))) return;
  throw new BridgeError(
    'data-corrupt',
    `A restore of the data folder ${folder} was interrupted. Run \`parley restore\` again; it finishes the restore.`,
  );
}

/**
 * Detects a restore that is not finished, and a lost store: its file is empty or missing, although other files of the data folder have content. An empty
 * store usually comes from a full disk or a failed copy, so this throws `data-corrupt`. A missing store was usually
 * deleted on purpose, so this only logs a warning.
 */
export async function checkStore(file: string, folder: string, log: Log): Promise<void> {
  await refuseHalfRestored(folder);
  const size = await sizeOf(file);
  if (size !== undefined && size > 0) return;
  const beside = (await namesIn(folder)).filter((name) => NEIGHBOUR.test(name)).toSorted();
  const sizes = await Promise.all(beside.map((name) => sizeOf(join(folder, name))));
  const older = beside.filter((_, index) => (sizes[index] ?? 0) > 0).join(', ');
  if (older === '') return;
  if (size === 0) {
    throw new BridgeError(
      'data-corrupt',
      `The store ${file} is empty, but other files of the data folder are not (${older}). Restore a backup of the whole data folder. To start without the turns that were in the store, delete ${file}.`,
    );
  }
  log.warn(
    { beside: older },
    'The store parley.sqlite is missing, although the data folder contains older files, so the bridge creates an empty store. Open questions are lost; see docs/operating.md.',
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

/**
 * Matches the names of files and folders that belong to the bridge; all other files in the folder are left
 * unchanged.
 */
const OWN = /^(?:[\w-]+\.sqlite|link\.key|state\.key|sandbox$|terminal$|media$)/;

/**
 * Makes existing files private to the owner, because earlier versions created them readable for others. New
 * files are created private (`keepFilesPrivate`).
 */
export async function closeToOthers(folder: string, log: Log): Promise<void> {
  try {
    for (const name of (await namesIn(folder)).filter((each) => OWN.test(each)))
      await close(join(folder, name));
  } catch (err) {
    log.warn(
      { err },
      'The permissions of the data folder could not be changed, so other users may be able to read files in it.',
    );
  }
}

async function close(path: string): Promise<void> {
  const entry = await lstat(path).catch(() => undefined);
  if (entry?.isDirectory()) {
    for (const name of await readdir(path)) await close(join(path, name));
  } else if (entry?.isFile() && (entry.mode & 0o077) !== 0) await chmod(path, 0o600);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time for which the receipt of a deletion is kept, in days. */
const RECEIPT_DAYS = 1;

/**
 * Deletes expired data every hour, in bounded batches, until the signal aborts. If several replicas run, only one of
 * them does it.
 */
export async function keepTidy(
  { inbox, feedback, audit, forgetting, once }: Store,
  retention: Config['retention'],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<void> {
  const prune = async (): Promise<void> => {
    const before = (days: number) => clock.now() - days * DAY_MS;
    await Promise.all([
      inbox.prune(before(retention.turnDays)),
      forgetting.prune(before(RECEIPT_DAYS)),
      untilNone(() => feedback.prune(before(retention.feedbackDays)), signal),
      untilNone(() => audit.prune(before(retention.auditDays)), signal),
    ]);
  };
  while (!signal.aborted) {
    await once('upkeep', HOUR_MS / 2, prune).catch((err: unknown) => {
      log.warn({ err }, 'old data could not be deleted; the next attempt is in an hour');
    });
    await clock.wait(HOUR_MS, signal).catch(() => undefined);
  }
}

/** Repeats a deletion until it finds no more rows. */
async function untilNone(prune: () => Promise<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await prune()) > 0);
}
