/**
 * Functions for all stores of the bridge: check a SQLite file for damage, and convert SQLite's errors to the bridge's
 * own.
 */

import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { BridgeError } from './errors.ts';

/** Maximum wait for another process's lock while a file is opened, in milliseconds. */
export const OPENING_WAIT_MS = 1_000;
/**
 * Maximum size of a file that is checked for damage when it is opened, in bytes. The check takes about 3 ms per MiB.
 */
const CHECKED_BYTES = 32 * 1024 * 1024;

/** SQLite's primary result codes that are converted to a specific error (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Returns the primary result code of an error of node:sqlite; undefined for any other error. */
function resultCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined;
  return typeof thrown.errcode === 'number' ? thrown.errcode & 0xff : undefined;
}

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

export function isHeldElsewhere(thrown: unknown): boolean {
  const code = resultCode(thrown);
  return code === BUSY || code === LOCKED;
}

/** Returns the error for a file that could not be opened: `data-corrupt`, `data-in-use` or `data-not-writable`. */
export function openingFault(thrown: unknown, file: string): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const code = resultCode(thrown);
  if (code === CORRUPT || code === NOT_A_DATABASE) return corrupt(file, thrown);
  if (isHeldElsewhere(thrown)) {
    return new BridgeError(
      'data-in-use',
      `Another process is using ${file}. Stop it, or give this bridge a data folder of its own.`,
      { cause: thrown },
    );
  }
  return new BridgeError(
    'data-not-writable',
    `The store ${file} cannot be opened for writing (${reasonOf(thrown)}). Make its folder writable for this user, or use another data folder.`,
    { cause: thrown },
  );
}

/** Throws `data-corrupt` if SQLite finds damage. Skips files above 32 MiB, because the check delays the start. */
export function checkForDamage(database: DatabaseSync, file: string): void {
  if (statSync(file).size > CHECKED_BYTES) return;
  const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw corrupt(file, found);
}

export function corrupt(file: string, cause: unknown): BridgeError {
  return new BridgeError(
    'data-corrupt',
    `The store ${file} is damaged (${reasonOf(cause)}). Restore a backup, or move the file away together with its -wal and -shm files and start again.`,
    { cause },
  );
}

/** For commands that read a store: throws `store-unavailable` if the file does not exist. */
export function mustExist(file: string): void {
  if (existsSync(file)) return;
  throw new BridgeError(
    'store-unavailable',
    `There is no data yet: the file ${file} does not exist. Start the bridge first. If the bridge has another data folder, name that folder in the setting "data" or in PARLEY_DATA.`,
  );
}

/**
 * Returns the error for a read or write that failed after the file was opened. The failure does not affect
 * the next operation.
 */
export function storeUnavailable(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  return new BridgeError(
    'store-unavailable',
    `The store could not be read or written (${reasonOf(thrown)}). Check the free space, the health and the permissions of the disk with the data folder.`,
    { cause: thrown },
  );
}

/** Resolves with the result of `work`; rejects with `store-unavailable` if `work` fails. */
export async function orUnavailable<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}

/**
 * Runs `work` in one transaction. If this function returns, all changes are on disk. If it throws, none of them is.
 */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    database.exec('COMMIT');
    return value;
  } catch (thrown) {
    // When the disk is full, SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}
