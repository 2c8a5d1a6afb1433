import type { Engine } from '../engine.ts';
import type { Sql, Steps } from '../sql.ts';
import type { StoreTime } from '../turns/table.ts';
import type { Database, Query } from './database.ts';

/** @param time absent for a command, which is no replica */
export const createEngine = (
  { query, transaction }: Pick<Database, 'query' | 'transaction'>,
  time?: Pick<StoreTime, 'now' | 'fromLocal'>,
): Engine => ({
  read: (steps) => runSteps(query, steps),
  write: (statement) => query(textOf(statement), statement.values),
  transaction: (steps) => transaction((within) => runSteps(within, steps())),
  now: async () => (time === undefined ? databaseNow(query) : time.now()),
  fromLocal: (at) => time?.fromLocal(at) ?? at,
  wraps: false,
});

/** Resolves with the time of the database's clock. Only for commands, which have no `StoreTime`. */
async function databaseNow(query: Query): Promise<number> {
  const [clock] = await query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
  return Number(clock?.now);
}

/** Runs steps with one round trip for each. Rejects as `query` does. */
export async function runSteps<T>(query: Query, steps: Steps<T>): Promise<T> {
  let step = steps.next([]);
  while (step.done !== true) step = steps.next(await query(textOf(step.value), step.value.values));
  return step.value;
}

/** Matches what only SQLite knows: the index that a query must use. */
const OF_SQLITE = / INDEXED BY \w+/g;

const texts = new WeakMap<Sql['parts'], string>();

/** Returns the text of a statement, with `$1` in place of its first value. */
function textOf({ parts }: Sql): string {
  const text =
    texts.get(parts) ??
    parts.reduce((before, part, nth) => `${before}$${nth}${part}`).replaceAll(OF_SQLITE, '');
  texts.set(parts, text);
  return text;
}
