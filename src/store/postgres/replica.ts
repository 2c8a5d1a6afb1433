/** This process as a replica: its lease, the tenants that it owns, and the takeover of tenants from ended replicas. */

import { createHash } from 'node:crypto';
import { forEach, once, rowsOf, type Steps, sql } from '../sql.ts';
import { idOf, textOf } from '../turn-rows.ts';
import { lanesOf } from '../turns/lanes.ts';
import type { TurnTable } from '../turns/table.ts';
import { giveBack } from '../turns/turns.ts';
import type { Database, Query, Row } from './database.ts';
import { runSteps } from './engine.ts';
import { sendHint } from './hints.ts';
import { LEASE_MS, type LeaseDeps, openLease } from './lease.ts';
import { createTurnTable } from './table.ts';

/**
 * Time for which a tenant without open turns keeps its owner, in milliseconds. The tenant keeps its owner, because the
 * owner's budgets know the tenant's last calls.
 */
const IDLE_MS = 120_000;

export interface Tenant {
  readonly channel: string;
  readonly tenant: string;
}

export type Replica = Awaited<ReturnType<typeof joinReplicas>>;

interface ReplicaDeps extends LeaseDeps {
  /** A connection for the lease alone, so that no other statement delays a renewal. */
  readonly leasing: Database;
}

/** Makes this process a replica until `leave` is called. Rejects with `store-unavailable`. */
export async function joinReplicas(deps: ReplicaDeps) {
  const { database, leasing } = deps;
  let takeovers = 0;
  const lease = await openLease({
    ...deps,
    database: leasing,
    report: () => ({ ...deps.report(), takeovers }),
  });
  const table = createTurnTable(lease);
  return {
    /**
     * Id of this replica. If the other replicas declare this replica ended, it continues under a new id, so that claims
     * under the old id stay invalid.
     */
    get id() {
      return lease.id;
    },
    /** Number of replicas whose lease had not ended at the last renewal, this one included. */
    get count() {
      return lease.alive.length;
    },
    /** Number of tenants that this replica took over from others. */
    get takeovers() {
      return takeovers;
    },
    /** The database's clock as of the last renewal; all times in the database are of this clock. */
    time: lease.time,
    table,
    /**
     * Returns the time for which no other replica can take over this one's tenants, in milliseconds; 0 or less if
     * another replica may take them over now.
     */
    leaseMs: lease.leftMs,
    /** True while no other replica can have taken over this one's tenants. */
    holdsLease: () => lease.leftMs() > 0,
    /** Gives tenants without an owner to one of the replicas. Tells the other replicas if they own some of the tenants. */
    assign: (tenants: readonly Tenant[]) => assign(tenants, lease.staying, lease.id),
    /**
     * Ends replicas whose lease is over, and takes their turns and tenants. Resolves with the number of taken turns.
     */
    async takeOver() {
      const { id, staying } = lease;
      // While PostgreSQL was unreachable, the others could not renew their leases either. They get the duration of one
      // lease to renew them.
      if (lease.reachedMs() >= LEASE_MS) await database.transaction((query) => endOthers(query, id));
      const back = await takeOwnerless(database, table);
      const orphans = (await database.query(ORPHANS)).map(tenantOf);
      const own = orphans.filter((tenant) => ownerOf(staying, tenant) === id);
      if (own.length > 0) takeovers += (await database.query(ADOPT, [...columnsOf(own), id])).length;
      await database.query(TOUCH, [id]);
      await database.query(DROP, [id]);
      return back;
    },
    /**
     * Hands over every tenant in which this replica has no running turn. The replicas that stay take these tenants, and
     * hand none over to this replica. Must not be called while this replica claims turns.
     */
    async handOver() {
      await lease.retire();
      await database.transaction((query) => giveAway(query, lease.id));
    },
    /** Ends the lease at once, so that the other replicas take over without waiting until it expires. */
    async leave() {
      await lease.stop();
      await database
        .transaction((query) => end(query, [lease.id]))
        .catch((err: unknown) => {
          deps.log.warn(
            { err },
            'This replica could not end its lease. The other replicas take over in a few seconds.',
          );
        });
    },
  };
}

/**
 * Most tenants have an owner and were used in the last 30 s. This function only reads those tenants. It writes all
 * other tenants, which locks them, so that no replica drops them meanwhile.
 */
function* assign(tenants: readonly Tenant[], staying: readonly string[], id: string): Steps<void> {
  const keyOf = ({ channel, tenant }: Tenant) => JSON.stringify([channel, tenant]);
  const given = new Map(tenants.map((tenant) => [keyOf(tenant), tenant]));
  const names = [...given.values()].map(({ channel, tenant }) => [channel, tenant]);
  const rows = yield sql`SELECT channel, tenant, owner FROM parley.tenants
    WHERE (channel, tenant) IN (VALUES ${rowsOf(names)})
      AND owner IS NOT NULL AND used_at > clock_timestamp() - interval '30 seconds'`;
  const owners = rows.map(({ owner }) => textOf(owner));
  for (const row of rows) given.delete(keyOf(tenantOf(row)));
  if (given.size > 0) {
    const others = [...given.values()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const chosen = others.map((tenant) => [tenant.channel, tenant.tenant, ownerOf(staying, tenant)]);
    const assigned = yield sql`INSERT INTO parley.tenants (channel, tenant, owner) VALUES ${rowsOf(chosen)}
      ON CONFLICT (channel, tenant) DO UPDATE SET used_at = clock_timestamp(),
        owner = coalesce(tenants.owner, excluded.owner),
        epoch = tenants.epoch + CASE WHEN tenants.owner IS NULL THEN 1 ELSE 0 END
      RETURNING owner`;
    owners.push(...assigned.map(({ owner }) => textOf(owner)));
  }
  if (owners.some((owner) => owner !== id)) yield* sendHint('claimable');
}

/** If no other replica stays, the tenants keep their owner until the owner ends. */
async function giveAway(query: Query, id: string): Promise<void> {
  const staying = (await query(STAYING, [id])).map((row) => textOf(row.id));
  if (staying.length === 0) return;
  const tenants = (await query(IDLE, [id])).map(tenantOf);
  if (tenants.length === 0) return;
  const heirs = tenants.map((tenant) => ownerOf(staying, tenant));
  await query(GIVE, [...columnsOf(tenants), heirs, id]);
  await runSteps(query, sendHint('claimable'));
}

const columnsOf = (tenants: readonly Tenant[]) => [
  tenants.map(({ channel }) => channel),
  tenants.map(({ tenant }) => tenant),
];

/**
 * Matches tenants without a live owner. Such an owner may have ended before a slow replica assigned the tenant to it.
 */
const HAS_NO_OWNER = `(owner IS NULL OR NOT EXISTS (SELECT 1 FROM parley.replicas WHERE replicas.id = tenants.owner))`;
const ORPHANS = `SELECT channel, tenant FROM parley.tenants WHERE ${HAS_NO_OWNER}`;
const ADOPT = `UPDATE parley.tenants SET owner = $3, epoch = epoch + 1
  FROM unnest($1::text[], $2::text[]) AS given (channel, tenant)
  WHERE tenants.channel = given.channel AND tenants.tenant = given.tenant AND ${HAS_NO_OWNER} RETURNING 1`;

const STAYING = `SELECT id FROM parley.replicas WHERE id <> $1 AND NOT leaving AND until > clock_timestamp()`;
const RUNS_NONE = `NOT EXISTS (SELECT 1 FROM parley.turns WHERE turns.channel = tenants.channel
  AND turns.tenant = tenants.tenant AND turns.state = 'running' AND turns.owner = tenants.owner)`;
const IDLE = `SELECT channel, tenant FROM parley.tenants WHERE owner = $1 AND ${RUNS_NONE}`;
const GIVE = `UPDATE parley.tenants SET owner = heir, epoch = epoch + 1
  FROM unnest($1::text[], $2::text[], $3::text[]) AS given (channel, tenant, heir)
  WHERE tenants.channel = given.channel AND tenants.tenant = given.tenant AND owner = $4 AND ${RUNS_NONE}`;

const OPEN_TURNS = `EXISTS (SELECT 1 FROM parley.turns WHERE turns.channel = tenants.channel
  AND turns.tenant = tenants.tenant AND turns.state IN ('waiting', 'running'))`;
const TOUCH = `UPDATE parley.tenants SET used_at = clock_timestamp()
  WHERE owner = $1 AND used_at < clock_timestamp() - interval '30 seconds' AND ${OPEN_TURNS}`;
const DROP = `DELETE FROM parley.tenants
  WHERE owner = $1 AND used_at < clock_timestamp() - interval '${IDLE_MS} milliseconds' AND NOT ${OPEN_TURNS}`;

/** Ends the other replicas whose lease is over. */
async function endOthers(query: Query, id: string): Promise<void> {
  const over = await query(
    'SELECT id FROM parley.replicas WHERE id <> $1 AND until <= clock_timestamp() FOR UPDATE SKIP LOCKED',
    [id],
  );
  if (over.length > 0)
    await end(
      query,
      over.map((row) => textOf(row.id)),
    );
}

/** Deletes replicas; their tenants then have no owner. */
async function end(query: Query, ids: readonly string[]): Promise<void> {
  await query('DELETE FROM parley.replicas WHERE id = ANY($1)', [ids]);
  await query('UPDATE parley.tenants SET owner = NULL, epoch = epoch + 1 WHERE owner = ANY($1)', [ids]);
}

/** Running turns of replicas that have ended. */
const OWNERLESS = sql`SELECT id, lane, interruption FROM parley.turns WHERE state = 'running'
  AND NOT EXISTS (SELECT 1 FROM parley.replicas WHERE replicas.id = turns.owner)`;

/** Puts turns of replicas that have ended back to waiting. Resolves with their number. */
export async function takeOwnerless(database: Database, table: TurnTable): Promise<number> {
  const found = await runSteps(database.query, once(OWNERLESS));
  if (found.length === 0) return 0;
  return database.transaction((query) => runSteps(query, takeBack(table, found)));
}

function* takeBack(table: TurnTable, found: readonly Row[]): Steps<number> {
  yield* table.lock(lanesOf(found));
  const turns = yield* forEach(
    found.map(idOf),
    (list) => sql`${OWNERLESS} AND turns.id IN (${list}) FOR UPDATE`,
  );
  yield* giveBack(table, turns);
  return turns.length;
}

const tenantOf = ({ channel, tenant }: Row): Tenant => ({ channel: textOf(channel), tenant: textOf(tenant) });

/** Rendezvous hashing: when a replica joins or ends, only its own tenants move. */
export function ownerOf(replicas: readonly string[], { channel, tenant }: Tenant): string {
  const key = JSON.stringify([channel, tenant]);
  const weight = (replica: string) => createHash('sha256').update(`${replica}\n${key}`).digest('hex');
  const [first = ''] = replicas.toSorted((a, b) => (weight(a) < weight(b) ? 1 : -1));
  return first;
}
