import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import type { ForgetStore } from '../../core/stores/forgetting.ts';
import { mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import { createForgetStore, requestsOf } from '../forgetting.ts';
import { type Steps, textOfSql } from '../sql.ts';
import type { Commits } from './commits.ts';

export function createForgetting(database: DatabaseSync, commits: Commits, clock: Clock): ForgetStore {
  const store = createForgetStore({
    read: (steps) => orUnavailable(() => runSteps(database, steps)),
    transaction: (steps) => commits.write(() => runSteps(database, steps())),
    now: async () => clock.now(),
    fromLocal: (at) => at,
    answersOf: 'seq',
  });
  return {
    ...store,
    async finish(request, receipt) {
      await store.finish(request, receipt);
      // Without this, the write-ahead log would keep deleted text. If another process is reading, the text stays there
      // until the next checkpoint.
      await orUnavailable(() => database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
    },
  };
}

function runSteps<T>(database: DatabaseSync, steps: Steps<T>): T {
  let step = steps.next([]);
  while (step.done !== true) {
    const statement = database.prepare(textOfSql(step.value).replaceAll('parley.', ''));
    const values = step.value.values.map((value, nth) => [`$${nth + 1}`, value] as const);
    step = steps.next(statement.all(Object.fromEntries(values)));
  }
  return step.value;
}

/**
 * Calls `work` with the functions that a command needs. The command may run beside the bridge. The bridge's writes wait
 * for the command for at most half a second. Throws `store-unavailable`.
 */
export async function withRequestsFile<T>(
  file: string,
  clock: Clock,
  work: (requests: Pick<ForgetStore, 'request' | 'requestDryRun' | 'receipt'>) => Promise<T>,
): Promise<T> {
  const database = openFile(file);
  try {
    return await work(
      requestsOf({
        read: (steps) => orUnavailable(() => runSteps(database, steps)),
        transaction: (steps) => orUnavailable(() => runSteps(database, steps())),
        now: async () => clock.now(),
      }),
    );
  } finally {
    database.close();
  }
}

/** Maximum wait for the bridge's lock on the file, in milliseconds. */
const LOCK_WAIT_MS = 5_000;

function openFile(file: string): DatabaseSync {
  try {
    mustExist(file);
    return new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
