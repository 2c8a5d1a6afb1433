/**
 * The data folder: the checks before the store is opened, the permissions of its files, the encrypted state,
 * and the hourly deletion of old turns and feedback.
 */

import { scryptSync } from 'node:crypto';
import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { FeedbackStore } from '../core/stores/feedback.ts';
import type { Inbox } from '../core/stores/inbox.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { BridgeError } from '../errors.ts';
import type { Store } from '../store/index.ts';
import { sealKeyed } from '../store/sealed.ts';
import { readDataKey } from '../web/link-key.ts';

/**
 * Matches files that the first start creates next to the store: keys and channels' stores. People do not
 * delete these before the store, so they show that a store existed.
 */
const NEIGHBOUR = /^(?!parley\.)(?:[\w-]+\.sqlite|link\.key|state\.key)$/;

/**
 * Detects a lost store: it is empty or missing, although other files of the folder are older. An empty store
 * is the result of a full disk or a failed copy: throws `data-corrupt`. A missing store was removed by a
 * person: logs a warning.
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
      `The store ${file} is empty, but other files of the data folder are not (${older}). Restore a backup of the whole data folder. To start without the turns that were in the store, delete ${file}.`,
    );
  }
  log.warn(
    { beside: older },
    'The store parley.sqlite is missing, although the data folder contains older files, so an empty one is created. Open questions are lost; see docs/operating.md.',
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

const KEY_BYTES = 32;
/** The same on every bridge: each bridge has a key of its own, so the salt need not tell equal keys apart. */
const SALT = 'parley sealed state 1';

/** Opens the encrypted state; returns a function that gives the state of a namespace. */
export async function openSealed(
  config: Pick<Config, 'key' | 'data'>,
  { store, log }: { readonly store: Store; readonly log: Log },
): Promise<(namespace: string) => Keyed> {
  const key = await readSealingKey(config);
  return (namespace) => sealKeyed(store.keyed(namespace), { namespace, key, log });
}

/**
 * Returns the encryption key: derived from PARLEY_KEY if set (a rotated key applies immediately), otherwise from a
 * file.
 */
async function readSealingKey({ key, data }: Pick<Config, 'key' | 'data'>): Promise<() => Uint8Array> {
  if (key === undefined) {
    const stored = await readDataKey(data, 'state.key', 'only the data that was encrypted with it is lost');
    return () => stored;
  }
  let made: { readonly text: string; readonly key: Uint8Array } | undefined;
  return () => {
    const text = key.reveal();
    if (made?.text !== text) made = { text, key: scryptSync(text, SALT, KEY_BYTES) };
    return made.key;
  };
}

const HOUR_MS = 3_600_000;
/** Lifetime of an ended turn, in milliseconds: long enough for Retry, and for any channel's repeated events. */
const TURN_KEPT_MS = 7 * 24 * HOUR_MS;

/** Lifetime of feedback, in milliseconds: one year, because agents are reviewed yearly. */
const FEEDBACK_KEPT_MS = 365 * 24 * HOUR_MS;

interface Kept {
  readonly inbox: Inbox;
  readonly feedback: FeedbackStore;
}

interface UpkeepDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Deletes expired turns and feedback every hour until the signal aborts. */
export async function keepTidy({ inbox, feedback }: Kept, { clock, log, signal }: UpkeepDeps): Promise<void> {
  while (!signal.aborted) {
    const dropped = [inbox.prune(clock.now() - TURN_KEPT_MS), feedback.prune(clock.now() - FEEDBACK_KEPT_MS)];
    await Promise.all(dropped).catch((err: unknown) => {
      log.warn({ err }, 'old data could not be deleted; the next attempt is in an hour');
    });
    await clock.wait(HOUR_MS, signal).catch(() => undefined);
  }
}
