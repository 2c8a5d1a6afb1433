import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import { inTransaction, mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import type { Engine } from '../engine.ts';
import { readMark, refuseMoved } from '../moved.ts';
import { once } from '../sql.ts';
import type { Commits } from './commits.ts';
import { createRun } from './run.ts';

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
    refuseMoved(markIn(database), 'sqlite');
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

/** Files that an earlier version wrote last have no mark. */
function markIn(database: DatabaseSync) {
  const isKnown = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'moves'").get() !== undefined;
  return isKnown ? createRun(database)(readMark()) : undefined;
}
