import { chmodSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { refuseNewer } from './schema.ts';

/** Copies a database with SQLite's online backup, also while another process writes to it. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { readOnly: true });
  try {
    await backup(database, to);
    chmodSync(to, 0o600);
  } finally {
    database.close();
  }
}

/**
 * Reads a whole database to check it. Throws SQLite's error, or one that says what is wrong.
 * @param isStore true if the bridge's own tables must be in it, of this or an earlier version
 */
export function checkCopy(file: string, isStore: boolean): void {
  const database = new DatabaseSync(file);
  try {
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check;
    if (found !== 'ok') throw new Error(String(found));
    if (isStore && refuseNewer(database, file) === 0) throw new Error('it has no tables');
  } finally {
    database.close();
  }
}
