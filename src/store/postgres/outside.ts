/** Access to the database from a command that is no replica, such as `doctor`, `status` or `feedback`. */

import { quiet } from '../../core/log.ts';
import type { Turn } from '../../core/turn.ts';
import { readMark, refuseMoved } from '../moved.ts';
import { turnOf } from '../turn-rows.ts';
import { type Database, openDatabase, type Query } from './database.ts';
import { runSteps } from './engine.ts';
import { refuseForeignSchema } from './installation.ts';
import { openingFault } from './opening-fault.ts';
import { refuseUnreadable } from './schema.ts';

export { createEngine } from './engine.ts';
export { examineDatabase } from './examine.ts';
export { readStatus } from './status.ts';

/**
 * Connects, runs `work`, and disconnects. Rejects with `database-unreachable`, `database-refused` or
 * `database-foreign`.
 */
export async function withDatabase<T>(
  address: string,
  work: (query: Query, database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(address, quiet);
  try {
    return await work(database.query, database);
  } catch (thrown) {
    throw openingFault(thrown);
  } finally {
    await database.close();
  }
}

/**
 * Like `withDatabase`, for the tables that replicas have created. Also rejects if there are no tables, or if another
 * version of the schema wrote them.
 */
export const withStore = <T>(
  address: string,
  work: (query: Query, database: Database) => Promise<T>,
): Promise<T> =>
  withDatabase(address, async (query, database) => {
    await refuseForeignSchema(query);
    await refuseUnreadable(query);
    refuseMoved(await runSteps(query, readMark()), 'postgresql');
    return work(query, database);
  });

/** Reads the newest turns. */
export async function readRecent(query: Query, limit: number): Promise<readonly Turn[]> {
  const rows = await query('SELECT * FROM parley.turns ORDER BY kept_at DESC, place DESC, id LIMIT $1', [
    limit,
  ]);
  return rows.flatMap((row) => turnOf(row) ?? []);
}
