import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Sql, Steps } from '../sql.ts';

/** Runs steps at once. Throws SQLite's errors. */
export type Run = <T>(steps: Steps<T>) => T;

/** Matches what only PostgreSQL knows: the schema, locks of rows, and types of values. */
const OF_POSTGRES = /\bparley\.| FOR UPDATE(?: SKIP LOCKED)?|::\w+/g;

/** Returns the text of a statement, with `?` in place of each value. */
export const textOf = ({ parts }: Sql): string => parts.join('?').replaceAll(OF_POSTGRES, '');

/** Creates a runner that prepares each statement once. */
export function createRun(database: DatabaseSync): Run {
  const prepared = new WeakMap<Sql['parts'], StatementSync>();
  const prepare = (step: Sql): StatementSync => {
    const { parts } = step;
    const statement = prepared.get(parts) ?? database.prepare(textOf(step));
    prepared.set(parts, statement);
    return statement;
  };
  return (steps) => {
    let step = steps.next([]);
    while (step.done !== true) step = steps.next(prepare(step.value).all(...step.value.values));
    return step.value;
  };
}
