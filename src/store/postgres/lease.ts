/**
 * The lease of a replica. The database's clock sets its end; the replica measures the time left with its own clocks.
 */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { textOf } from '../turn-rows.ts';
import type { Database, Query } from './database.ts';

/** Duration of a replica's lease by the database's clock, in milliseconds. */
export const LEASE_MS = 7_000;
const RENEW_EVERY_MS = 2_000;
/** Pause before a failed renewal is repeated, in milliseconds. */
const RETRY_MS = 500;
/** Part of the lease that this replica does not rely on, in milliseconds, because clocks run at different speeds. */
const MARGIN_MS = 1_000;

export interface LeaseDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns what `parley status` shows about this replica; stored at each renewal. */
  report(): object;
}

/** Joins the replicas and renews the lease until `stop`. Rejects with `store-unavailable`. */
export async function openLease({ database, clock, log, report }: LeaseDeps) {
  const stopping = new AbortController();
  let id: string = randomUUID();
  let alive: readonly Living[] = [{ id, leaving: false }];
  let isLeaving = false;
  /** Time of the request that last renewed the lease, by the wall clock and by the monotonic clock. */
  let renewed = { wall: 0, monotonic: 0 };
  /** Start of the period in which every renewal succeeded. */
  let reachedSince = clock.now();
  /** Milliseconds by which the database's clock is ahead of the local one. */
  let ahead = 0;
  /** Resolves to false if another replica has ended this one. */
  const write = async (statement: string): Promise<boolean> => {
    const sent = { wall: clock.now(), monotonic: performance.now() };
    const answer = await writeLease(database.query, statement, [id, JSON.stringify(report()), isLeaving]);
    if (answer === undefined) return false;
    ahead = answer.now - (sent.wall + (performance.now() - sent.monotonic) / 2);
    alive = answer.alive;
    renewed = sent;
    return true;
  };
  const renew = async () => {
    if (await write(RENEW)) return;
    log.warn(
      { replica: id },
      'Another replica took over from this replica, because this replica did not renew its lease in time. This replica joins again under a new id.',
    );
    id = randomUUID();
    await write(JOIN);
  };
  await write(JOIN);
  const failed = (err: unknown) => {
    reachedSince = clock.now();
    log.warn({ err }, 'The lease of this replica could not be renewed.');
  };
  const keeping = repeat(renew, failed, clock, stopping.signal);
  return {
    /**
     * Id of this replica. Changes after another replica has ended this one, so that this replica's earlier claims stay
     * lost.
     */
    get id() {
      return id;
    },
    /** Ids of the replicas whose lease had not ended at the last renewal, sorted. */
    get alive() {
      return idsOf(alive);
    },
    /**
     * The replicas in `alive` that are not stopping, which may get tenants. If all replicas are stopping, contains all
     * of them.
     */
    get staying() {
      return stayingOf(alive);
    },
    /** Tells the other replicas that this one is stopping, so that they give it no more tenants. */
    async retire() {
      isLeaving = true;
      await database.query('UPDATE parley.replicas SET leaving = true WHERE id = $1', [id]);
    },
    time: {
      now: () => clock.now() + ahead,
      fromLocal: (local: number) => local + ahead,
      toLocal: (there: number) => there - ahead,
    },
    /**
     * Returns the time for which no other replica can take over this one's tenants, in milliseconds; 0 or less if
     * another replica may take them over now.
     */
    leftMs: () =>
      LEASE_MS - MARGIN_MS - Math.max(clock.now() - renewed.wall, performance.now() - renewed.monotonic),
    /** Returns the time for which every renewal has succeeded, in milliseconds. */
    reachedMs: () => clock.now() - reachedSince,
    /** Stops the renewals. */
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

/** Renews the lease every 2 s until the signal aborts. Repeats a failed renewal after 0.5 s. */
async function repeat(
  renew: () => Promise<void>,
  failed: (err: unknown) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  for (let pause = RENEW_EVERY_MS; ; ) {
    await clock.wait(pause, signal).catch(() => undefined);
    if (signal.aborted) return;
    const began = performance.now();
    try {
      await renew();
      // A lease counts from the request, so a slow answer must not delay the next request.
      pause = Math.max(0, RENEW_EVERY_MS - (performance.now() - began));
    } catch (thrown) {
      failed(thrown);
      pause = RETRY_MS;
    }
  }
}

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
const JOIN = `INSERT INTO parley.replicas (id, until, report, leaving) VALUES ($1, ${UNTIL}, $2, $3)
  RETURNING id, leaving`;
/**
 * Renews the lease. Writes nothing if another replica has ended this one, because the others may have taken over its
 * turns.
 */
const RENEW = `UPDATE parley.replicas SET until = ${UNTIL}, report = $2, leaving = $3 WHERE id = $1
  RETURNING id, leaving`;

interface Living {
  readonly id: string;
  readonly leaving: boolean;
}

function stayingOf(replicas: readonly Living[]): readonly string[] {
  const staying = replicas.filter(({ leaving }) => !leaving);
  return idsOf(staying.length > 0 ? staying : replicas);
}

const idsOf = (replicas: readonly Living[]): readonly string[] => replicas.map(({ id }) => id);

interface Answer {
  /** Time of the database's clock. */
  readonly now: number;
  /** Sorted by id. */
  readonly alive: readonly Living[];
}

/**
 * Runs a statement that writes this replica's lease, and reads all replicas whose leases have not ended. Resolves to
 * undefined if the statement wrote nothing.
 * @param values the id, the report, and whether this replica is stopping
 */
async function writeLease(
  query: Query,
  statement: string,
  values: readonly [string, string, boolean],
): Promise<Answer | undefined> {
  const rows = await query(
    `WITH renewed AS (${statement})
    SELECT id, leaving, true AS is_own, 1000 * extract(epoch FROM clock_timestamp()) AS now FROM renewed
    UNION ALL SELECT id, leaving, false, 0 FROM parley.replicas WHERE until > clock_timestamp() AND id <> $1`,
    values,
  );
  const own = rows.find(({ is_own }) => is_own === true);
  if (own === undefined) return undefined;
  const alive = rows.map((row): Living => ({ id: textOf(row.id), leaving: row.leaving === true }));
  return { now: Number(own.now), alive: alive.toSorted((a, b) => (a.id < b.id ? -1 : 1)) };
}
