import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BridgeError } from '../../../src/kit.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rooms (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    n INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    room TEXT NOT NULL,
    thread TEXT NOT NULL,
    at INTEGER NOT NULL,
    turn TEXT UNIQUE,
    nonce TEXT UNIQUE,
    engaged INTEGER NOT NULL,
    due INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_of_thread ON messages (room, thread, n);
  CREATE INDEX IF NOT EXISTS roots_of_room ON messages (room, n) WHERE thread = id;
  CREATE INDEX IF NOT EXISTS messages_due ON messages (n) WHERE due = 1;
  CREATE TABLE IF NOT EXISTS files (
    id TEXT PRIMARY KEY, at INTEGER NOT NULL, attached INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
`;

/** Maximum wait for another process's lock while the file is opened, in milliseconds. */
const OPENING_PATIENCE_MS = 1_000;
/** Maximum wait of each later statement, in milliseconds. It blocks the event loop. */
const LOCK_PATIENCE_MS = 20;
/** Largest file that is checked for damage when it is opened, in bytes. The check takes about 3 ms per MiB. */
const CHECKED_BYTES = 32 * 1024 * 1024;
/** SQLite's primary result codes SQLITE_CORRUPT and SQLITE_NOTADB (sqlite.org/rescode.html). */
const DAMAGED: readonly unknown[] = [11, 26];

/** Opens the chat's file with its schema. Throws `data-corrupt` when it is damaged, else `data-not-writable`. */
export function openChatDatabase(file: string): DatabaseSync {
  try {
    return open(file);
  } catch (thrown) {
    throw openingFault(file, thrown);
  }
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: OPENING_PATIENCE_MS });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    if (statSync(file).size <= CHECKED_BYTES) check(database, file);
    database.exec(`${SCHEMA} PRAGMA busy_timeout = ${LOCK_PATIENCE_MS};`);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function check(database: DatabaseSync, file: string): void {
  const found = database.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw damaged(file, new Error(String(found)));
}

function openingFault(file: string, thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const code = thrown instanceof Error && 'errcode' in thrown ? Number(thrown.errcode) & 0xff : undefined;
  if (DAMAGED.includes(code)) return damaged(file, thrown);
  return new BridgeError(
    'data-not-writable',
    `The console's file ${file} cannot be opened for writing (${reasonOf(thrown)}). Make its folder writable for this user, or name another data folder.`,
    { cause: thrown },
  );
}

const damaged = (file: string, cause: unknown): BridgeError =>
  new BridgeError(
    'data-corrupt',
    `The console's file ${file} is damaged (${reasonOf(cause)}). Move it away together with its -wal and -shm files and start again, or put a backup in its place.`,
    { cause },
  );

const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
