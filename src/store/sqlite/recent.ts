import { DatabaseSync } from 'node:sqlite';
import type { Turn } from '../../core/turn.ts';
import { storeUnavailable } from '../../sqlite.ts';
import { turnOf } from '../turn-rows.ts';

const RECENT = 'SELECT * FROM turns ORDER BY kept_at DESC, seq DESC LIMIT ?';

/** Reads the newest turns from the store's file, also while the bridge is running. Throws `store-unavailable`. */
export function readRecentTurns(file: string, limit: number): readonly Turn[] {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database
        .prepare(RECENT)
        .all(limit)
        .flatMap((row) => turnOf(row) ?? []);
    } finally {
      database.close();
    }
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
