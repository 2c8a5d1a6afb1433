/** The table of turns in SQLite, whose turns are claimed one by one. */

import type { Clock } from '../../core/clock.ts';
import type { Claim } from '../../core/stores/inbox.ts';
import { type Steps, sql } from '../sql.ts';
import { idOf, isDamaged, type Row } from '../turn-rows.ts';
import { claimsOf } from '../turns/claims.ts';
import type { Held, TurnTable } from '../turns/table.ts';
import { giveBack } from '../turns/turns.ts';

function* nothing(): Steps<void> {}

/** Creates what SQLite adds to the shared statements. */
export const createTurnTable = (clock: Pick<Clock, 'now'>): TurnTable => ({
  time: { now: clock.now, fromLocal: (at) => at, toLocal: (at) => at },
  place: sql`seq`,
  nextPlace: sql`(SELECT coalesce(max(seq), 0) + 1 FROM turns)`,
  key: sql`seq`,
  channel: sql`CASE WHEN json_valid(message) THEN message ->> '$.thread.channel' END`,
  kind: sql`CASE WHEN json_valid(origin) THEN origin ->> '$.kind' END`,
  sentAt: sql`CASE WHEN json_valid(message) THEN message ->> '$.sentAt' END`,
  unannounced: sql`announced = 0`,
  unclaimed: sql`owner = NULL, life = NULL, lease_until = NULL`,
  ownColumns: sql``,
  ownValues: () => sql``,
  isOwn: () => sql``,
  lock: nothing,
  heldRows: (ids) =>
    sql`SELECT id, seq AS key, attempt, owner, lane, interruption FROM turns WHERE id IN (${ids}) AND state = 'running'`,
  tell: nothing,
});

interface Lease {
  readonly owner: string;
  /**
   * Identifies this opening of the store, so that an owner's earlier claims can be distinguished from its current ones.
   */
  readonly life: string;
  readonly until: number;
}

/** Returns the next turn to claim. Skips turns whose reply another turn is writing. */
export function* oldestReady(): Steps<Row | undefined> {
  const [row] = yield sql`SELECT * FROM turns INDEXED BY turns_ready
    WHERE ready > 0 AND NOT EXISTS (
      SELECT 1 FROM turns AS other INDEXED BY turns_writing
      WHERE other.state = 'running' AND other.reply = turns.reply)
    ORDER BY ready DESC, seq LIMIT 1`;
  return row;
}

/** Claims the next turn. `unreadable`: ids of turns that were ended as failed, because their rows cannot be read. */
export function* claimTurn(
  table: TurnTable,
  { owner, life, until }: Lease,
): Steps<{ claim?: Claim; unreadable: readonly string[] }> {
  const unreadable: string[] = [];
  for (;;) {
    const row = yield* oldestReady();
    if (row === undefined) return { unreadable };
    const claimed = yield sql`UPDATE turns SET state = 'running', ready = 0, attempt = attempt + 1,
        screen = (SELECT past.screen FROM turns AS past INDEXED BY turns_of_reply
          WHERE past.reply = turns.reply AND json_valid(past.screen) ORDER BY past.shown DESC, past.seq DESC LIMIT 1),
        owner = ${owner}, life = ${life}, lease_until = ${until}
      WHERE id = ${idOf(row)} RETURNING *`;
    const { claims, ...ended } = yield* claimsOf(table, claimed, owner, until);
    unreadable.push(...ended.unreadable);
    // The claim has replaced a damaged screen.
    const damaged = row.screen !== null && isDamaged(row);
    for (const claim of claims) return { claim: { ...claim, ...(damaged && { damaged }) }, unreadable };
  }
}

/** Renews the lease. Returns the row's interruption; undefined if the lease was lost. */
export function* renewLease({ owner, turn }: Held, until: number): Steps<Row | undefined> {
  const [row] = yield sql`UPDATE turns SET lease_until = ${until} WHERE id = ${turn.id} AND state = 'running'
    AND owner = ${owner} AND attempt = ${turn.attempt} RETURNING interruption`;
  return row;
}

/**
 * Puts turns back to waiting if an earlier process of the owner claimed them. Also puts turns with a damaged state
 * back to waiting, so that their replies end.
 */
export function* recoverTurns(table: TurnTable, { owner, life }: Omit<Lease, 'until'>): Steps<void> {
  yield sql`UPDATE turns INDEXED BY turns_astray
    SET state = 'running', phase = 'damaged', owner = ${owner}, life = 'none', interruption = 'none'
    WHERE ended_at IS NULL AND state NOT IN ('waiting', 'running')`;
  const rows = yield sql`SELECT id, lane, interruption FROM turns INDEXED BY turns_running
    WHERE state = 'running' AND owner = ${owner} AND life <> ${life}`;
  yield* giveBack(table, rows);
}

/**
 * Puts turns with an expired lease back to waiting, except turns that the process with the `life` `spared` claimed. The
 * query that claims turns does not do this, because it could then not use its index.
 */
export function* expireTurns(table: TurnTable, spared: string | undefined): Steps<number> {
  const rows = yield sql`SELECT id, lane, interruption FROM turns INDEXED BY turns_running
    WHERE state = 'running' AND lease_until <= ${table.time.now()} AND life IS NOT ${spared ?? null}`;
  yield* giveBack(table, rows);
  return rows.length;
}
