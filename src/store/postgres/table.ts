/** The table of turns in PostgreSQL, whose lanes several replicas change at the same time. */

import { rowsOf, type Steps, sql, type Value } from '../sql.ts';
import type { StoreTime, TurnTable } from '../turns/table.ts';
import { sendHint } from './hints.ts';

/**
 * Locks lanes, and messages by their keys, until the transaction ends. The order is fixed, so that two transactions
 * never wait for each other. Every change of a lane, except a claim, first locks the lane in a separate statement, so
 * that the next statement sees what the previous holder of the lock committed.
 */
export function* lockLanes(lanes: readonly string[], messages: readonly string[] = []): Steps<void> {
  const ofMessages = messages.map((message): readonly Value[] => [message, 1]);
  const names = lanes.map((lane): readonly Value[] => [lane, 0]).concat(ofMessages);
  if (names.length === 0) return;
  yield sql`SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended(name, CAST(seed AS bigint)) AS key
    FROM (VALUES ${rowsOf(names)}) AS names (name, seed) ORDER BY key) AS keys`;
}

/** Creates what PostgreSQL adds to the shared statements. @param replica its id may change */
export const createTurnTable = (replica: { readonly id: string; readonly time: StoreTime }): TurnTable => ({
  time: replica.time,
  place: sql`place`,
  nextPlace: sql`nextval('parley.places')`,
  key: sql`id`,
  channel: sql`channel`,
  kind: sql`kind`,
  sentAt: sql`sent_at`,
  unannounced: sql`NOT announced`,
  unclaimed: sql`owner = NULL`,
  ownColumns: sql`, channel, tenant, room, sent_at, revision, kind`,
  ownValues({ message, origin }) {
    const { channel, tenant, room } = message.thread;
    return sql`, ${channel}, ${tenant}, ${room}, ${message.sentAt}, ${message.revision}, ${origin.kind}`;
  },
  isOwn: () =>
    sql` AND (channel, tenant) IN (SELECT channel, tenant FROM parley.tenants WHERE owner = ${replica.id})`,
  lock: lockLanes,
  // A claim is lost as soon as another replica has ended the replica that holds the claim, even if the turn is not
  // yet waiting again.
  heldRows: (ids) =>
    sql`SELECT turns.id, turns.id AS key, turns.attempt, turns.owner, turns.lane, turns.interruption
      FROM parley.turns JOIN parley.replicas ON replicas.id = turns.owner
      WHERE turns.id IN (${ids}) AND turns.state = 'running' FOR UPDATE OF turns FOR KEY SHARE OF replicas`,
  tell: sendHint,
});
