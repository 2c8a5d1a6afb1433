import type { Turn } from '../../core/turn.ts';
import { turnOf } from '../turn-rows.ts';
import type { Query } from './database.ts';

/** Reads the newest turns. */
export async function readRecent(query: Query, limit: number): Promise<readonly Turn[]> {
  const rows = await query('SELECT * FROM parley.turns ORDER BY kept_at DESC, place DESC, id LIMIT $1', [
    limit,
  ]);
  return rows.flatMap((row) => turnOf(row) ?? []);
}
