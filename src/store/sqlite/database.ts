import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { BridgeError } from '../../errors.ts';
import { checkForDamage, isHeldElsewhere, OPENING_WAIT_MS, openingFault } from '../../sqlite.ts';
import { migrate } from './schema.ts';

/** Size to which the write-ahead log is truncated after a checkpoint, in bytes. */
const LOG_BYTES = 16 * 1024 * 1024;

/** SQLite's file name for a database in memory. */
export const MEMORY = ':memory:';

export interface OpenDatabase {
  readonly database: DatabaseSync;
  /**
   * Throws `store-unavailable` if the file was deleted or replaced since it was opened, because SQLite would
   * keep writing to the old file.
   */
  checkFile(): void;
  close(): void;
}

/**
 * Opens the store's file, or an in-memory database for `:memory:`, and updates its schema. Only one process at a time
 * can open a file. Throws `data-not-writable`, `data-in-use` or `data-corrupt`.
 */
export function openDatabase(file: string): OpenDatabase {
  if (file === MEMORY) {
    const database = open(file);
    return { database, checkFile: () => undefined, close: () => database.close() };
  }
  const { mark, unlock } = lockStore(file);
  try {
    makePrivate(file);
    const database = open(file, mark);
    const { ino } = statSync(file, { bigint: true });
    return {
      database,
      checkFile() {
        if (statSync(file, { bigint: true, throwIfNoEntry: false })?.ino !== ino) throw replaced(file);
      },
      close: () => closeBoth(database, unlock),
    };
  } catch (thrown) {
    unlock();
    throw openingFault(thrown, file);
  }
}

function replaced(file: string): BridgeError {
  return new BridgeError(
    'store-unavailable',
    `The store accepts no writes: ${file} was deleted or replaced while the bridge was running. Restore it from a backup if you need its data, then restart the bridge.`,
  );
}

/**
 * Creates the file before SQLite does, so that only its owner may read people's messages. SQLite gives the `-wal` and
 * `-shm` files the same permissions. An existing file is not opened, because closing it would drop this process's locks
 * on it.
 */
function makePrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, 'a', 0o600));
}

function closeBoth(database: DatabaseSync, unlock: () => void): void {
  try {
    database.close();
  } finally {
    unlock();
  }
}

function open(file: string, mark = 0): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: OPENING_WAIT_MS, enableForeignKeyConstraints: true });
  try {
    const isMarked = database.prepare('PRAGMA application_id').get()?.application_id === mark;
    if (!isMarked) proveAlone(database);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
    if (file !== MEMORY) checkForDamage(database, file);
    migrate(database, file);
    if (!isMarked) database.exec(`PRAGMA application_id = ${mark}`);
    // A wait inside SQLite would block the event loop. The group commit retries instead.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/**
 * Throws if another connection to the file is open, because SQLite leaves WAL mode only while there is no other
 * connection.
 */
function proveAlone(database: DatabaseSync): void {
  database.exec('PRAGMA journal_mode = DELETE');
}

/**
 * Takes an exclusive lock of the operating system on a side file. The lock ends with the process, however the process
 * ends, and other tools can still read the store itself. The store contains the `mark` of the side file that was locked
 * last. If the side file now has another mark, the earlier side file was deleted. The process that locked it may still
 * run, so the store is then opened only if no other connection to it is open. Throws `data-in-use` while another process
 * holds the lock.
 */
export function lockStore(file: string) {
  const sideFile = `${file}.lock`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    makePrivate(sideFile);
    const side = new DatabaseSync(sideFile, { timeout: 0 });
    try {
      side.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return { mark: markOf(sideFile), unlock: () => side.close() };
    } catch (thrown) {
      side.close();
      throw thrown;
    }
  } catch (thrown) {
    throw openingFault(thrown, isHeldElsewhere(thrown) ? dirname(file) : sideFile);
  }
}

/** Derives a side file's mark from its inode number, which no other file can get while the side file is open. */
const markOf = (file: string): number => Number(statSync(file, { bigint: true }).ino % 0x7fff_fffen) + 1;
