import type { DatabaseSync } from 'node:sqlite';

/** Runs `work` in one transaction: all of it is on disk when this returns, none of it when this throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = work();
    database.exec('COMMIT');
    return value;
  } catch (thrown) {
    // SQLite has already rolled back by itself after a full disk.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}
