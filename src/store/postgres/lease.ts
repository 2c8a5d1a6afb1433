/**
 * The lease of a replica. The database's clock sets its end; the replica measures the time left with its own clocks.
 */

import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { textOf } from '../turn-rows.ts';
import type { Database, Query } from './database.ts';
import type { DatabaseTime } from './time.ts';

/** Duration of a replica's lease by the database's clock, in milliseconds. */
export const LEASE_MS = 7_000;
const RENEW_EVERY_MS = 2_000;
/** Pause before a failed renewal is repeated, in milliseconds. */
const RETRY_MS = 500;
/** Part of the lease that this replica does not rely on, because clocks run at different speeds, in milliseconds. */
const MARGIN_MS = 1_000;

export interface LeaseDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns what the status shows about this replica; stored at each renewal. */
  report(): object;
}

export interface Lease {
  /** Id of this replica. Changes after another replica has ended this one, so that its earlier claims stay lost. */
  readonly id: string;
  /** Ids of the replicas whose lease had not ended at the last renewal, sorted. */
  readonly alive: readonly string[];
  readonly time: DatabaseTime;
  /**
   * Returns the time for which no other replica can take over this one's tenants, in milliseconds; 0 or less if one
   * may now.
   */
  leftMs(): number;
  /** Returns the time for which every renewal has succeeded, in milliseconds. */
  reachedMs(): number;
  /** Stops the renewals. */
  stop(): Promise<void>;
}

/** Joins the replicas and renews the lease until `stop`. Rejects with `store-unavailable`. */
export async function openLease({ database, clock, log, report }: LeaseDeps): Promise<Lease> {
  const stopping = new AbortController();
  let id: string = randomUUID();
  let alive: readonly string[] = [id];
  /** Time of the request that last renewed the lease, by both clocks. */
  let renewed = { wall: 0, monotonic: 0 };
  /** Start of the period in which every renewal succeeded. */
  let reachedSince = clock.now();
  /** Milliseconds by which the database's clock is ahead of the local one. */
  let ahead = 0;
  /** Resolves to false if another replica has ended this one. */
  const write = async (statement: string): Promise<boolean> => {
    const asked = { wall: clock.now(), monotonic: performance.now() };
    const answer = await writeLease(database.query, statement, [id, JSON.stringify(report())]);
    if (answer === undefined) return false;
    ahead = answer.now - (asked.wall + (performance.now() - asked.monotonic) / 2);
    alive = answer.alive;
    renewed = asked;
    return true;
  };
  const renew = async () => {
    if (await write(RENEW)) return;
    log.warn(
      { replica: id },
      'Another replica took over from this one, because it did not renew its lease in time. It joins again under a new id.',
    );
    id = randomUUID();
    await write(JOIN);
  };
  await write(JOIN);
  const renewOrReport = () =>
    renew().then(
      () => RENEW_EVERY_MS,
      (err: unknown) => {
        reachedSince = clock.now();
        log.warn({ err }, 'The lease of this replica could not be renewed.');
        return RETRY_MS;
      },
    );
  const keeping = repeat(renewOrReport, clock, stopping.signal);
  return {
    get id() {
      return id;
    },
    get alive() {
      return alive;
    },
    time: {
      now: () => clock.now() + ahead,
      fromLocal: (local) => local + ahead,
      toLocal: (there) => there - ahead,
    },
    leftMs: () =>
      LEASE_MS - MARGIN_MS - Math.max(clock.now() - renewed.wall, performance.now() - renewed.monotonic),
    reachedMs: () => clock.now() - reachedSince,
    stop: async () => {
      stopping.abort();
      await keeping;
    },
  };
}

/** Repeats the work until the signal. Each run resolves with the pause before the next one. */
async function repeat(work: () => Promise<number>, clock: Clock, signal: AbortSignal): Promise<void> {
  for (let pause = RENEW_EVERY_MS; ; pause = await work()) {
    await clock.wait(pause, signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
const JOIN = `INSERT INTO parley.replicas (id, until, report) VALUES ($1, ${UNTIL}, $2) RETURNING id`;
/** Renews the lease only if no other replica has ended this one, because the others have taken its turns then. */
const RENEW = `UPDATE parley.replicas SET until = ${UNTIL}, report = $2 WHERE id = $1 RETURNING id`;

interface Answer {
  /** Time of the database's clock. */
  readonly now: number;
  readonly alive: readonly string[];
}

/**
 * Resolves to undefined if the statement wrote nothing.
 * @param values the id and the report
 */
async function writeLease(
  query: Query,
  statement: string,
  values: readonly [string, string],
): Promise<Answer | undefined> {
  const rows = await query(
    `WITH renewed AS (${statement})
    SELECT id, true AS is_own, 1000 * extract(epoch FROM clock_timestamp()) AS now FROM renewed
    UNION ALL SELECT id, false, 0 FROM parley.replicas WHERE until > clock_timestamp()`,
    values,
  );
  const own = rows.find(({ is_own }) => is_own === true);
  if (own === undefined) return undefined;
  const alive = new Set(rows.map((row) => textOf(row.id)));
  return { now: Number(own.now), alive: [...alive].toSorted() };
}
