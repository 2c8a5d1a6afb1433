import { DatabaseSync } from 'node:sqlite';
import type { Turn } from '../../core/turn.ts';
import { mustExist, storeUnavailable } from '../../sqlite.ts';
import type { StoreStatus, TurnTotals } from '../status.ts';
import { countsOf, turnOf } from '../turn-rows.ts';

const TOTALS = `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
  count(*) FILTER (WHERE ready < 0) AS postponed, count(*) FILTER (WHERE state = 'running') AS running,
  min(kept_at) FILTER (WHERE state = 'waiting') AS oldest
  FROM turns WHERE state IN ('waiting', 'running')`;

/** @param now in milliseconds since the epoch */
export function countTurns(database: DatabaseSync, now: number): TurnTotals {
  const { oldest, ...counts } = database.prepare(TOTALS).get() ?? {};
  return {
    ...countsOf(counts),
    ...(typeof oldest === 'number' && { oldestWaitingMs: Math.max(0, now - oldest) }),
  };
}

/** Calls `work` with the store's file, also while the bridge is running. Throws `store-unavailable`. */
function readFile<T>(file: string, work: (database: DatabaseSync) => T): T {
  try {
    mustExist(file);
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return work(database);
    } finally {
      database.close();
    }
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}

/** Reads the state of the store. @param now in milliseconds since the epoch */
export const readFileStatus = (file: string, now: number): StoreStatus =>
  readFile(file, (database) => ({ ...countTurns(database, now), replicas: [], workspaces: [] }));

const RECENT = 'SELECT * FROM turns ORDER BY kept_at DESC, seq DESC LIMIT ?';

/** Reads the newest turns. */
export const readRecentTurns = (file: string, limit: number): readonly Turn[] =>
  readFile(file, (database) => database.prepare(RECENT).all(limit)).flatMap((row) => turnOf(row) ?? []);
