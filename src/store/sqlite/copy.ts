import { chmodSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';

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
