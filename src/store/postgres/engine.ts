import type { Engine } from '../engine.ts';
import { type Steps, textOfSql } from '../sql.ts';
import type { Database, Query } from './database.ts';
import { type DatabaseTime, databaseNow } from './time.ts';

/** @param time absent for a command, which is no replica */
export const createEngine = (
  { query, transaction }: Pick<Database, 'query' | 'transaction'>,
  time?: Pick<DatabaseTime, 'now' | 'fromLocal'>,
): Engine => ({
  read: (steps) => runSteps(query, steps),
  write: (statement) => query(textOfSql(statement), statement.values),
  transaction: (steps) => transaction((within) => runSteps(within, steps())),
  now: async () => (time === undefined ? databaseNow(query) : time.now()),
  fromLocal: (at) => time?.fromLocal(at) ?? at,
  wraps: false,
});

async function runSteps<T>(query: Query, steps: Steps<T>): Promise<T> {
  let step = steps.next([]);
  while (step.done !== true) {
    step = steps.next(await query(textOfSql(step.value), step.value.values));
  }
  return step.value;
}
