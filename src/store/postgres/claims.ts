/** Claims and renewals of a replica, which serve several calls at once. */

import type { Claim, InboxSignal } from '../../core/stores/inbox.ts';
import type { Interruption } from '../../core/turn.ts';
import { type Steps, sql } from '../sql.ts';
import { idOf, interruptionOf, placeOf, type Row } from '../turn-rows.ts';
import { claimsOf, fenceOf, heldRows } from '../turns/claims.ts';
import type { Held, TurnTable } from '../turns/table.ts';

interface Claiming {
  readonly owner: string;
  readonly limit: number;
  /** End of the lease by the local clock. */
  readonly until: number;
}

/**
 * Claims up to `limit` turns of the owner's tenants: interrupted ones first, then the oldest. Locks the rows of the
 * replica and of its tenants, so that no other replica ends the replica or takes over its tenants before the claims
 * are committed.
 */
export function* claimTurns(
  table: TurnTable,
  { owner, limit, until }: Claiming,
): Steps<{ claims: readonly Claim[]; unreadable: readonly string[] }> {
  const rows = yield sql`WITH alive AS MATERIALIZED (
      SELECT id FROM parley.replicas WHERE id = ${owner} AND until > clock_timestamp() FOR KEY SHARE),
    mine AS MATERIALIZED (
      SELECT channel, tenant FROM parley.tenants WHERE owner = (SELECT id FROM alive) FOR SHARE),
    next AS (
      SELECT ready_turns.id FROM mine CROSS JOIN LATERAL (
        SELECT id, ready, place FROM parley.turns
        WHERE channel = mine.channel AND tenant = mine.tenant AND ready > 0 AND NOT EXISTS (
          SELECT 1 FROM parley.turns AS other WHERE other.state = 'running' AND other.reply = turns.reply)
        ORDER BY ready DESC, place LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS ready_turns
      ORDER BY ready_turns.ready DESC, ready_turns.place LIMIT ${limit})
    UPDATE parley.turns SET state = 'running', ready = 0, attempt = attempt + 1, owner = ${owner},
      screen = coalesce((SELECT past.screen FROM parley.turns AS past
        WHERE past.reply = turns.reply AND past.screen IS NOT NULL ORDER BY past.shown DESC, past.place DESC LIMIT 1),
        turns.screen)
    FROM next WHERE turns.id = next.id RETURNING turns.*`;
  return yield* claimsOf(table, rows.toSorted(inOrder), owner, until);
}

/** Sorts turns in the order in which they are claimed: interrupted turns first, then by place. */
function inOrder(one: Row, other: Row): number {
  const isPlain = ({ interruption }: Row) => Number(interruption === null);
  return isPlain(one) - isPlain(other) || placeOf(one) - placeOf(other);
}

export function* renewClaims(claims: readonly Held[]): Steps<readonly ('held' | 'lost' | Interruption)[]> {
  const held = yield* heldRows(
    (ids) => sql`SELECT turns.id, turns.attempt, turns.owner, turns.interruption
      FROM parley.turns JOIN parley.replicas ON replicas.id = turns.owner
      WHERE turns.id IN (${ids}) AND turns.state = 'running'`,
    claims,
  );
  return claims.map((claim) => {
    const row = held.get(fenceOf(claim));
    return row === undefined ? 'lost' : (interruptionOf(row) ?? 'held');
  });
}

/** Returns a signal for each turn that this replica runs and that was interrupted. */
export function* interruptionsOf(owner: string): Steps<readonly InboxSignal[]> {
  const rows = yield sql`SELECT id, interruption FROM parley.turns
    WHERE owner = ${owner} AND state = 'running' AND interruption IS NOT NULL`;
  return rows.flatMap((row) => {
    const why = interruptionOf(row);
    return why === undefined ? [] : [{ kind: 'interrupted', id: idOf(row), why }];
  });
}
