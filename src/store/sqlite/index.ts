/**
 * The embedded engine: one SQLite file (`database.ts`, `schema.ts`). All writes join a group commit (`commits.ts`). The
 * inbox (`inbox.ts`) runs the statements of the folder `turns`, and its own of `turns.ts`.
 * `keyed.ts` stores small values by key.
 */

import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { openingFault, orUnavailable } from '../../sqlite.ts';
import { createAudit } from '../audit.ts';
import { createFeedback } from '../feedback.ts';
import { keyedRowsOf } from '../keyed-rows.ts';
import { readMark, refuseMoved } from '../moved.ts';
import { createSessions } from '../sessions.ts';
import type { Store } from '../store.ts';
import { serveChannels } from '../turns/serving.ts';
import { openBacklog } from './backlog.ts';
import { createCommits, createProbe } from './commits.ts';
import { MEMORY, type OpenDatabase, openDatabase } from './database.ts';
import { createEngine } from './engine.ts';
import { createForgetting } from './forgetting.ts';
import { openSqliteInbox } from './inbox.ts';
import { createKeyed } from './keyed.ts';
import { memoryReader, openFileReader } from './reader.ts';
import { createRun } from './run.ts';
import { countTurns } from './status.ts';
import { createTurnTable } from './turns.ts';

interface StoreOptions {
  /** The store's file, whose folder is created if it is missing; `:memory:` stores nothing on disk. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Duration of a claim's lease if the lease is not renewed, in milliseconds; 10,000 by default. */
  readonly leaseMs?: number;
  /** Maximum number of waiting turns per lane; 50 by default. */
  readonly laneLimit?: number;
  /** Time after which an unused session expires, in milliseconds; 30 days by default. */
  readonly sessionIdleMs?: number;
}

/**
 * Owner of claimed turns: the same for every process on a data folder, so that a restarted process takes its turns
 * back immediately.
 */
export const OWNER = 'bridge';

/**
 * Opens the store in one SQLite file and puts the turns of an earlier process back to waiting. Rejects with
 * `data-not-writable`, `data-in-use` or `data-corrupt`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const opened = openDatabase(options.file);
  try {
    refuseMoved(createRun(opened.database)(readMark()), 'sqlite');
    return await assemble(opened, options);
  } catch (thrown) {
    opened.close();
    throw openingFault(thrown, options.file);
  }
}

async function assemble(opened: OpenDatabase, options: StoreOptions): Promise<Store> {
  const { clock, log, leaseMs, laneLimit } = options;
  const { database, checkFile } = opened;
  const backlog = options.file === MEMORY ? undefined : openBacklog(options.file, database);
  const commits = createCommits({ database, clock, backlog, checkFile });
  const inbox = await openSqliteInbox({ database, commits, clock, log, owner: OWNER, leaseMs, laneLimit });
  const keyed = createKeyed({ database, commits, clock, log });
  const engine = createEngine(database, commits, clock);
  const reader =
    options.file === MEMORY ? memoryReader(engine.read, clock) : openFileReader(options.file, clock);
  let open = true;
  return {
    isShared: false,
    inbox,
    keyed,
    keyedRows: keyedRowsOf(engine),
    sessions: createSessions(keyed('sessions'), options.sessionIdleMs),
    feedback: createFeedback(engine),
    audit: createAudit(engine),
    forgetting: createForgetting(database, engine),
    serve: (channels) => serveChannels(engine, createTurnTable(clock), channels),
    replicas: () => 1,
    once: (_job, _restMs, work) => work(),
    reader,
    gauges: () => orUnavailable(() => countTurns(database, clock.now())),
    probe: createProbe(database, commits),
    close: async () => {
      if (!open) return;
      open = false;
      await reader.close();
      commits.close();
      backlog?.close();
      opened.close();
    },
  };
}
