import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The SQLite file with sessions, documents and their full-text index (platform contract FIX-5: one file). */
export type Database = DatabaseSync;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, agent TEXT NOT NULL, account TEXT NOT NULL, used INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS turns (
  record TEXT PRIMARY KEY, session TEXT, account TEXT NOT NULL, question TEXT NOT NULL,
  answer TEXT NOT NULL DEFAULT '', sources TEXT NOT NULL DEFAULT '[]');
CREATE INDEX IF NOT EXISTS turns_by_session ON turns (session, record);
CREATE TABLE IF NOT EXISTS clients (
  id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  domains TEXT NOT NULL, created INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS documents (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
  title TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
  state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS chunks (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL, ordinal INTEGER NOT NULL,
  heading TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS chunks_by_document ON chunks (document, ordinal);
CREATE TABLE IF NOT EXISTS images (
  file_id INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL, name TEXT NOT NULL,
  type TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE (document, name));
INSERT OR IGNORE INTO sqlite_sequence (name, seq)
  SELECT 'images', 700000 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'images');
`;

/**
 * Opens `sandbox.db` in the folder; without a folder, opens a database in memory. Throws if the file cannot be written.
 */
export function openDatabase(folder: string | undefined): Database {
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(folder === undefined ? ':memory:' : join(folder, 'sandbox.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
  database.exec(SCHEMA);
  return database;
}

/** Returns a stored value, such as the signing key. At the first call, makes and stores it. */
export function rememberFact(database: Database, name: string, make: () => string): string {
  const row = database.prepare('SELECT value FROM facts WHERE name = ?').get(name);
  if (typeof row?.value === 'string') return row.value;
  const value = make();
  database.prepare('INSERT INTO facts (name, value) VALUES (?, ?)').run(name, value);
  return value;
}

/** Runs `work` in a transaction, or in the current one. If `work` throws, rolls the transaction back. */
export function inTransaction<T>(database: Database, work: () => T): T {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

/** Adds columns that are missing in a table made by an earlier version. */
export function addColumns(
  database: Database,
  table: string,
  columns: Readonly<Record<string, string>>,
): void {
  const known = new Set(
    database
      .prepare(`PRAGMA table_info(${table})`)
      .all()
      .map((row) => row.name),
  );
  for (const [name, definition] of Object.entries(columns)) {
    if (!known.has(name)) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`);
  }
}

export type Row = Readonly<Record<string, unknown>>;
