import { DatabaseSync } from 'node:sqlite';
import { checkForDamage, OPENING_WAIT_MS, openingFault, storeUnavailable } from '../../../src/kit/ladder.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS rooms (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS private_rooms (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS room_members (
    n INTEGER PRIMARY KEY, room TEXT NOT NULL, person TEXT NOT NULL, UNIQUE (room, person)
  ) STRICT;
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
  CREATE INDEX IF NOT EXISTS files_unattached ON files (at) WHERE attached = 0;
  CREATE TABLE IF NOT EXISTS file_owners (file TEXT PRIMARY KEY, person TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS people (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS sign_ins (key TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
`;

/**
 * Rooms in which a file was posted. For files that were posted before this table existed, the rooms are found in the
 * messages.
 */
const FILE_ROOMS = `
  CREATE TABLE file_rooms (file TEXT NOT NULL, room TEXT NOT NULL, PRIMARY KEY (file, room)) STRICT;
  INSERT OR IGNORE INTO file_rooms SELECT file.value ->> '$.id', messages.room
    FROM messages, json_each(messages.body, '$.files') AS file
    WHERE json_valid(messages.body) AND file.value ->> '$.id' IS NOT NULL;
`;

/**
 * Maximum time that a statement waits for another process's lock, in milliseconds. It is short, because waiting blocks
 * the event loop.
 */
const LOCK_WAIT_MS = 20;

/**
 * Opens the chat's SQLite file, and creates its tables if needed; `extend` creates further ones. Throws `data-corrupt`, `data-in-use` or
 * `data-not-writable`.
 */
export function openChatDatabase(file: string, extend: (database: DatabaseSync) => void): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: OPENING_WAIT_MS });
    // Deleted text is overwritten, so that nobody finds it in the file.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON');
    checkForDamage(database, file);
    database.exec(SCHEMA);
    const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'file_rooms'").get();
    if (known === undefined) database.exec(`BEGIN IMMEDIATE; ${FILE_ROOMS} COMMIT;`);
    extend(database);
    // Earlier versions left the uploaders of files that were never sent.
    database.exec('DELETE FROM file_owners WHERE file NOT IN (SELECT id FROM files)');
    database.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS};`);
    return database;
  } catch (thrown) {
    database?.close();
    throw openingFault(thrown, file);
  }
}

export type Statements = ReturnType<typeof createStatements>;

/** Returns functions that run statements, and throw `store-unavailable` if one fails. */
export function createStatements(database: DatabaseSync) {
  const sql = database.createTagStore();
  return {
    run: guarded(sql.run.bind(sql)),
    get: guarded(sql.get.bind(sql)),
    all: guarded(sql.all.bind(sql)),
    exec: guarded(database.exec.bind(database)),
  };
}

function guarded<Args extends readonly unknown[], T>(work: (...args: Args) => T): (...args: Args) => T {
  return (...args) => {
    try {
      return work(...args);
    } catch (cause) {
      throw storeUnavailable(cause);
    }
  };
}
