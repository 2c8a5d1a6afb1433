import { DatabaseSync } from 'node:sqlite';
import type { StoreStatus, TurnTotals } from '../../core/stores/status.ts';
import type { Turn } from '../../core/turn.ts';
import { mustExist, storeUnavailable } from '../../sqlite.ts';
import { countsOf, type Row, turnOf } from '../turn-rows.ts';

/** Counts open turns by the indexes that contain only these, because the table also contains all ended turns. */
export const TOTALS = `SELECT waiting, postponed, oldest, running
  FROM (SELECT count(*) AS waiting, count(*) FILTER (WHERE ready < 0) AS postponed, min(kept_at) AS oldest
      FROM turns INDEXED BY turns_waiting WHERE state = 'waiting'),
    (SELECT count(*) AS running FROM turns INDEXED BY turns_running WHERE state = 'running')`;

/** @param now in milliseconds since the epoch */
export function totalsOf({ oldest, ...counts }: Row, now: number): TurnTotals {
  return {
    ...countsOf(counts),
    ...(typeof oldest === 'number' && { oldestWaitingMs: Math.max(0, now - oldest) }),
  };
}

/** @param now in milliseconds since the epoch */
export const countTurns = (database: DatabaseSync, now: number): TurnTotals =>
  totalsOf(database.prepare(TOTALS).get() ?? {}, now);

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
