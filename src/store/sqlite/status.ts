import { DatabaseSync } from 'node:sqlite';
import { mustExist, storeUnavailable } from '../../sqlite.ts';
import type { StoreStatus, TurnTotals } from '../status.ts';
import { countsOf } from '../turn-rows.ts';

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

/**
 * Reads the state of the store from its file, also while the bridge is running. Throws `store-unavailable`.
 * @param now in milliseconds since the epoch
 */
export function readFileStatus(file: string, now: number): StoreStatus {
  try {
    mustExist(file);
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return { ...countTurns(database, now), replicas: [], workspaces: [] };
    } finally {
      database.close();
    }
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
