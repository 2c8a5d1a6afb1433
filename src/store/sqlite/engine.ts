import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import { inTransaction, mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import type { Engine } from '../engine.ts';
import { once, type Sql, type Steps } from '../sql.ts';
import type { Commits } from './commits.ts';

export function createEngine(
  database: DatabaseSync,
  { write }: Pick<Commits, 'write'>,
  clock: Pick<Clock, 'now'>,
): Engine {
  const run = createRun(database);
  return {
    read: (steps) => orUnavailable(() => run(steps)),
    write: (statement) => write(() => run(once(statement))),
    transaction: (steps) => write(() => run(steps())),
    now: async () => clock.now(),
    fromLocal: (at) => at,
    wraps: true,
  };
}

/** Runs steps at once. Throws SQLite's errors. */
export type Run = <T>(steps: Steps<T>) => T;

/** Matches what only PostgreSQL knows: the schema, and locks of rows. */
const OF_POSTGRES = /\bparley\.| FOR UPDATE(?: SKIP LOCKED)?/g;

/** Creates a runner that prepares each statement once. */
export function createRun(database: DatabaseSync): Run {
  const prepared = new WeakMap<Sql['parts'], StatementSync>();
  const prepare = ({ parts }: Sql): StatementSync => {
    const statement = prepared.get(parts) ?? database.prepare(parts.join('?').replaceAll(OF_POSTGRES, ''));
    prepared.set(parts, statement);
    return statement;
  };
  return (steps) => {
    let step = steps.next([]);
    while (step.done !== true) step = steps.next(prepare(step.value).all(...step.value.values));
    return step.value;
  };
}

/** Maximum wait for the bridge's lock on the file, in milliseconds. */
const LOCK_WAIT_MS = 5_000;

/**
 * Calls `work` with the store's file, which a bridge may have open at the same time. The bridge's writes wait for the
 * command for at most half a second. Throws `store-unavailable`.
 */
export async function withFile<T>(
  file: string,
  clock: Pick<Clock, 'now'>,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  const database = openFile(file);
  const write = <Result>(run: () => Result) => orUnavailable(() => inTransaction(database, run));
  try {
    return await work(createEngine(database, { write }, clock));
  } finally {
    database.close();
  }
}

function openFile(file: string): DatabaseSync {
  try {
    mustExist(file);
    return new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
