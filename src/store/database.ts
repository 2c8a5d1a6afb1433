import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { corrupt, isHeldElsewhere, openingFault } from './faults.ts';
import { migrate } from './schema.ts';

/** How long opening and closing wait for another process that holds the file's lock, in milliseconds. */
const PATIENCE_MS = 1_000;
/** Files up to this size are checked when they are opened, in bytes; checking costs about 3 ms a MiB. */
const CHECKED_BYTES = 32 * 1024 * 1024;
/** The write-ahead log is cut back to this size after a checkpoint, in bytes. */
const LOG_BYTES = 16 * 1024 * 1024;

/** The file name that keeps nothing. */
export const MEMORY = ':memory:';

export interface OpenDatabase {
  readonly database: DatabaseSync;
  close(): void;
}

/**
 * Opens the store's file, or one in memory for `:memory:`, and brings its schema up to date. One process at a time
 * holds a file. Throws `data-not-writable`, `data-in-use` or `data-corrupt`.
 */
export function openDatabase(file: string): OpenDatabase {
  if (file === MEMORY) {
    const database = open(file);
    return { database, close: () => database.close() };
  }
  const unlock = lock(file);
  try {
    // Made before SQLite does, because the file holds what people wrote and only its owner may read it.
    closeSync(openSync(file, 'a', 0o600));
    const database = open(file);
    return { database, close: () => closeBoth(database, unlock) };
  } catch (thrown) {
    unlock();
    throw openingFault(thrown, file);
  }
}

function closeBoth(database: DatabaseSync, unlock: () => void): void {
  try {
    database.close();
  } finally {
    unlock();
  }
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: PATIENCE_MS, enableForeignKeyConstraints: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
    if (file !== MEMORY && statSync(file).size <= CHECKED_BYTES) check(database, file);
    migrate(database, file);
    // SQLite would wait on the event loop's thread. The group commit tries again instead, and lets the loop run.
    database.exec('PRAGMA busy_timeout = 0');
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function check(database: DatabaseSync, file: string): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw corrupt(file, found);
}

/**
 * Holds an exclusive lock of the operating system on a side file for as long as this process lives, so it goes with
 * the process however that ends, and tools may still read the store itself. Returns the way to let go.
 */
function lock(file: string): () => void {
  const sideFile = `${file}.lock`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const side = new DatabaseSync(sideFile, { timeout: 0 });
    try {
      side.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return () => side.close();
    } catch (thrown) {
      side.close();
      throw thrown;
    }
  } catch (thrown) {
    throw openingFault(thrown, isHeldElsewhere(thrown) ? dirname(file) : sideFile);
  }
}
