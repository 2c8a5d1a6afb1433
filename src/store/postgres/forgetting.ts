import type { ForgetStore } from '../../core/stores/forgetting.ts';
import { createForgetStore, requestsOf as sharedRequestsOf } from '../forgetting.ts';
import { type Steps, textOfSql } from '../sql.ts';
import type { Database, Query } from './database.ts';
import { type DatabaseTime, databaseNow } from './time.ts';

export const createForgetting = (database: Database, time: DatabaseTime): ForgetStore =>
  createForgetStore({
    read: (steps) => runSteps(database.query, steps),
    transaction: (steps) => database.longTransaction((query) => runSteps(query, steps())),
    now: async () => time.now(),
    fromLocal: (at) => time.fromLocal(at),
    answersOf: 'id',
  });

/** The functions of `ForgetStore` that a command needs. Times are of the database's clock. */
export const requestsOf = (query: Query): Pick<ForgetStore, 'request' | 'requestDryRun' | 'receipt'> =>
  sharedRequestsOf({
    read: (steps) => runSteps(query, steps),
    transaction: (steps) => runSteps(query, steps()),
    now: () => databaseNow(query),
  });

async function runSteps<T>(query: Query, steps: Steps<T>): Promise<T> {
  let step = steps.next([]);
  while (step.done !== true) {
    step = steps.next(await query(textOfSql(step.value), step.value.values));
  }
  return step.value;
}
