/**
 * The embedded engine: one SQLite file (`database.ts`, `schema.ts`). All writes join a group commit (`commits.ts`). The
 * inbox (`inbox.ts`) runs the statements of `turn-table.ts`, `lanes.ts` and `rewriting.ts`; small state by key is in
 * `keyed.ts`.
 */

import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { openingFault, orUnavailable } from '../../sqlite.ts';
import { concerns, type Place, startOf } from '../forgetting.ts';
import { createSessions } from '../sessions.ts';
import type { Store } from '../store.ts';
import { textOf } from '../turn-rows.ts';
import { createAudit } from './audit.ts';
import { openBacklog } from './backlog.ts';
import { createCommits, createProbe } from './commits.ts';
import { MEMORY, type OpenDatabase, openDatabase } from './database.ts';
import { createFeedback } from './feedback.ts';
import { openSqliteInbox } from './inbox.ts';
import { createKeyed } from './keyed.ts';
import { serveChannels } from './lanes.ts';
import { countTurns } from './status.ts';

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
const OWNER = 'bridge';

/**
 * Opens the store in one SQLite file and puts the turns of an earlier process back to waiting. Rejects with
 * `data-not-writable`, `data-in-use` or `data-corrupt`.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const opened = openDatabase(options.file);
  try {
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
  const serving = database.createTagStore();
  let open = true;
  return {
    isShared: false,
    inbox,
    keyed,
    sessions: createSessions(keyed('sessions'), options.sessionIdleMs),
    feedback: createFeedback(database, commits),
    audit: createAudit(database, commits, clock),
    forget: (place) => commits.write(() => forget(database, place)),
    serve: (channels) => commits.write(() => serveChannels(serving, channels)),
    replicas: () => 1,
    once: (_job, _restMs, work) => work(),
    gauges: () => orUnavailable(() => countTurns(database, clock.now())),
    probe: createProbe(database, commits),
    close: async () => {
      if (!open) return;
      open = false;
      commits.close();
      backlog?.close();
      opened.close();
    },
  };
}

/**
 * Deletes everything that the file contains about a place: turns with their texts and screens, sessions,
 * choices, receipts, versions, feedback, and the adapter's own state. The worker of a running turn then finds
 * its lease lost. Returns the number of turns.
 */
function forget(database: DatabaseSync, place: Place): number {
  const sql = database.createTagStore();
  const { channel, tenant, room } = place;
  const start = startOf(place);
  const turns = sql.all`SELECT id, seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  const ids = new Set(turns.map((row) => textOf(row.id)));
  sql.run`DELETE FROM answers WHERE turn IN (
    SELECT seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start})`;
  sql.run`DELETE FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM withdrawn WHERE substr(message_key, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM feedback WHERE channel = ${channel} AND tenant = ${tenant}
    AND (${room ?? null} IS NULL OR room = ${room ?? null})`;
  for (const row of sql.all`SELECT namespace, key FROM keyed`) {
    const [namespace, key] = [textOf(row.namespace), textOf(row.key)];
    if (!concerns({ namespace, key }, { ...place, start, ids })) continue;
    sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`;
  }
  return turns.length;
}
