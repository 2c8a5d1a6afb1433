import type { SQLTagStore } from 'node:sqlite';
import type { TurnId } from '../../core/ids.ts';
import type {
  Added,
  Checkpoint,
  Claim,
  Inbox,
  KeptBefore,
  NewTurn,
  Waiting,
} from '../../core/stores/inbox.ts';
import type { Interruption } from '../../core/turn.ts';
import { type Ending, endedRecord } from '../audit-rows.ts';
import type { AddedTurn } from '../store.ts';
import {
  idOf,
  interruptionOf,
  isDamaged,
  isOutdated,
  type Row,
  seqOf,
  strongerOf,
  textOf,
  turnOf,
} from '../turn-rows.ts';
import { forgetText, readText, recordText } from './answer-text.ts';
import { insertRecord } from './audit-table.ts';
import { claimedTooEarly, countAhead, countWaiting, hold, placeByTime, promote } from './lanes.ts';

/**
 * Statements over `turns`: the claim rule and the states of a turn. Each statement runs inside the caller's
 * transaction.
 */

/** Maximum number of settled turns that one transaction deletes, so that the event loop is not blocked. */
export const PRUNED_AT_ONCE = 1_000;

interface Lease {
  readonly owner: string;
  /**
   * Identifies this opening of the store, so that an owner's earlier claims can be distinguished from its current ones.
   */
  readonly life: string;
  readonly until: number;
}

export function addTurn(sql: SQLTagStore, turn: NewTurn, laneLimit: number, now: number): AddedTurn {
  const known = sql.get`SELECT id FROM turns WHERE origin_key = ${turn.originKey}`;
  if (known !== undefined) return { added: { kind: 'duplicate', id: idOf(known) } };
  const late = overtaken(sql, turn);
  if (late !== undefined) return { added: late };
  const waiting = countWaiting(sql, turn.lane);
  if (waiting >= laneLimit) return { added: { kind: 'full', waiting } };
  const early = claimedTooEarly(sql, turn);
  if (early !== undefined) giveBack(sql, early, now);
  const added = insertTurn(sql, turn, now, placeByTime(sql, turn));
  return { added, ...(early !== undefined && { takenBack: idOf(early) }) };
}

/**
 * Returns the result for a message or a press of Retry that must not be stored: `withdrawn` if the message was deleted
 * before it arrived, and `duplicate` if the turn is outdated (`isOutdated`). Returns undefined for all other turns. To
 * replace an older revision of the message by a newer one, call `supersede`.
 */
function overtaken(sql: SQLTagStore, turn: NewTurn): Added | undefined {
  const { messageKey } = turn;
  if (messageKey === undefined) return undefined;
  if (isWithdrawn(sql, messageKey)) return { kind: 'withdrawn' };
  const row = newestAsking(sql, messageKey);
  const asked = row && turnOf(row);
  return asked !== undefined && isOutdated(turn, { ...asked, revision: asked.message.revision })
    ? { kind: 'duplicate', id: asked.id }
    : undefined;
}

export const isWithdrawn = (sql: SQLTagStore, messageKey: string): boolean =>
  sql.get`SELECT 1 AS found FROM withdrawn WHERE message_key = ${messageKey}` !== undefined;

/** Returns the newest turn that asked this message. Excludes acts on an answer, because each act has its own reply. */
export const newestAsking = (sql: SQLTagStore, messageKey: string): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_of_message WHERE message_key = ${messageKey}
    AND json_valid(origin) AND origin ->> '$.kind' IN ('message', 'retry', 'regenerate')
    ORDER BY state = 'superseded', kept_at DESC, seq DESC LIMIT 1`;

/** @param seq the place in the lane; absent for the end of the lane */
export function insertTurn(
  sql: SQLTagStore,
  turn: NewTurn,
  keptAt: number,
  seq?: number,
): Extract<Added, { kind: 'added' }> {
  const { id, lane, follows = null } = turn;
  const { lastInsertRowid } =
    sql.run`INSERT INTO turns (seq, id, origin_key, lane, kept_at, message_key, reply, origin, message)
    VALUES (${seq ?? null}, ${id}, ${turn.originKey}, ${lane}, ${keptAt}, ${turn.messageKey ?? null},
      coalesce((SELECT reply FROM turns WHERE id = ${follows}), ${id}), ${jsonOf(turn.origin)}, ${jsonOf(turn.message)})`;
  promote(sql, lane);
  return { kind: 'added', ahead: countAhead(sql, lane, Number(lastInsertRowid)) };
}

export function claimTurn(sql: SQLTagStore, lease: Lease, now: number) {
  /** Ids of turns that were ended as failed, because their rows cannot be read and their replies are unknown. */
  const unreadable: string[] = [];
  for (let row = oldestReady(sql); row !== undefined; row = oldestReady(sql)) {
    const interruption = interruptionOf(row);
    const damaged = isDamaged(row);
    const turn = turnOf(take(sql, row, lease));
    if (turn !== undefined) {
      if (interruption !== undefined) hold(sql, turn.lane);
      const { owner, until } = lease;
      const text = readText(sql, seqOf(row));
      const marks = { ...(interruption && { interruption }), ...(damaged && { damaged }) };
      const claim: Claim = { turn, owner, until, text, ...marks };
      return { claim, unreadable };
    }
    end(sql, row, { state: 'failed', now });
    unreadable.push(textOf(row.id));
  }
  return { claim: undefined, unreadable };
}

/** Returns the next turn to claim. Skips turns whose reply another turn is writing. */
export const oldestReady = (sql: SQLTagStore): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_ready
    WHERE ready > 0 AND NOT EXISTS (
      SELECT 1 FROM turns AS other INDEXED BY turns_writing
      WHERE other.state = 'running' AND other.reply = turns.reply)
    ORDER BY ready DESC, seq LIMIT 1`;

const take = (sql: SQLTagStore, row: Row, lease: Lease): Row =>
  sql.get`UPDATE turns SET state = 'running', ready = 0, attempt = attempt + 1,
      screen = (SELECT past.screen FROM turns AS past INDEXED BY turns_of_reply
        WHERE past.reply = turns.reply AND json_valid(past.screen) ORDER BY past.shown DESC, past.seq DESC LIMIT 1),
      owner = ${lease.owner}, life = ${lease.life}, lease_until = ${lease.until}
    WHERE seq = ${seqOf(row)} RETURNING *` ?? row;

/** The fencing values of a claim. A write has an effect only while the row still has this attempt and owner. */
export interface HeldClaim {
  readonly turn: Pick<Claim['turn'], 'id' | 'attempt'>;
  readonly owner: string;
}

/** Returns the row of a claim; undefined if the lease was lost. */
const held = (sql: SQLTagStore, claim: HeldClaim): Row | undefined =>
  sql.get`SELECT seq, lane, interruption FROM turns WHERE id = ${claim.turn.id} AND state = 'running'
    AND owner = ${claim.owner} AND attempt = ${claim.turn.attempt}`;

export function renewLease(sql: SQLTagStore, claim: Claim, until: number): 'held' | 'lost' | Interruption {
  const row = held(sql, claim);
  if (row === undefined) return 'lost';
  sql.run`UPDATE turns SET lease_until = ${until} WHERE seq = ${seqOf(row)}`;
  return interruptionOf(row) ?? 'held';
}

export function noteCheckpoint(sql: SQLTagStore, claim: HeldClaim, known: Checkpoint): 'held' | 'lost' {
  const row = held(sql, claim);
  if (row === undefined) return 'lost';
  const { text, ...facts } = known;
  if (Object.keys(facts).length > 0) noteFacts(sql, row, facts);
  if (text !== undefined) recordText(sql, seqOf(row), text);
  return 'held';
}

/**
 * Updates the turn's row. Growing text is stored elsewhere, because each update writes the whole row again,
 * including the question.
 */
function noteFacts(sql: SQLTagStore, row: Row, known: Omit<Checkpoint, 'text'>): void {
  sql.run`UPDATE turns SET
      phase = coalesce(${known.phase ?? null}, phase),
      screen = coalesce(${jsonOf(known.screen)}, screen),
      shown = iif(${jsonOf(known.screen)} IS NULL, shown, 1 + (
        SELECT max(past.shown) FROM turns AS past INDEXED BY turns_of_reply WHERE past.reply = turns.reply)),
      agent = coalesce(${known.agent ?? null}, agent),
      account = coalesce(${known.account ?? null}, account),
      session = coalesce(${known.session ?? null}, session),
      chat_record = coalesce(${known.chatRecord ?? null}, chat_record)
    WHERE seq = ${seqOf(row)}`;
}

export function releaseTurn(sql: SQLTagStore, claim: Claim, now: number): 'released' | 'lost' {
  const row = held(sql, claim);
  if (row === undefined) return 'lost';
  giveBack(sql, row, now);
  return 'released';
}

/**
 * Ends a superseded turn. Puts any other turn back to waiting at its old place; if it is interrupted, it can be claimed
 * immediately.
 */
function giveBack(sql: SQLTagStore, row: Row, now: number): void {
  if (interruptionOf(row)?.kind === 'superseded') {
    end(sql, row, { state: 'superseded', now });
    return;
  }
  sql.run`UPDATE turns SET state = 'waiting', owner = NULL, life = NULL, lease_until = NULL,
      ready = iif(interruption IS NULL, 0, 2), unasked = unasked + (phase = 'new')
    WHERE seq = ${seqOf(row)}`;
  promote(sql, textOf(row.lane));
}

export function settleTurn(sql: SQLTagStore, claim: Claim, ending: Ending): Settled {
  const { state, now } = ending;
  const row = held(sql, claim);
  if (row === undefined) return 'lost';
  const why = interruptionOf(row)?.kind;
  if (why === 'superseded' || (why === 'withdrawn' && state !== 'withdrawn')) {
    giveBack(sql, row, now);
    return why;
  }
  end(sql, row, ending);
  return 'settled';
}

type Settled = Awaited<ReturnType<Inbox['settle']>>;

/** Ends a turn, adds its record to the audit and deletes the message's text; ids, screen and session are kept. */
export function end(sql: SQLTagStore, row: Row, { state, now, facts }: Ending): void {
  const whole = sql.get`SELECT * FROM turns WHERE seq = ${seqOf(row)}`;
  if (whole !== undefined) insertRecord(sql, endedRecord(whole, { state, now, facts }));
  sql.run`UPDATE turns SET state = ${state}, ended_at = ${now}, ready = 0,
      owner = NULL, life = NULL, lease_until = NULL,
      message = CASE WHEN json_valid(message)
        THEN json_remove(
          json_set(message, '$.text', '', '$.quoted', json('[]'), '$.files', json('[]')), '$.omitted'
        ) ELSE '' END
    WHERE seq = ${seqOf(row)}`;
  forgetText(sql, seqOf(row));
  promote(sql, textOf(row.lane));
}

/**
 * Interrupts a waiting or running turn. A waiting turn is claimed next and needs no announcement. The first reason is
 * kept unless the new reason has a higher rank (`RANKS`).
 */
export function interruptTurn(
  sql: SQLTagStore,
  id: TurnId,
  why: Interruption,
): 'running' | 'waiting' | 'none' {
  const row = findRow(sql, id);
  const state = row?.state;
  if (state !== 'running' && state !== 'waiting') return 'none';
  sql.run`UPDATE turns SET interruption = ${jsonOf(strongerOf(row ?? {}, why))}, announced = 1,
      ready = iif(state = 'waiting', 2, 0)
    WHERE id = ${id}`;
  promote(sql, textOf(row?.lane));
  return state;
}

export const findRow = (sql: SQLTagStore, id: TurnId): Row | undefined =>
  sql.get`SELECT * FROM turns WHERE id = ${id}`;

export function announceTurns(sql: SQLTagStore, { behind, ready }: KeptBefore, limit: number): Waiting[] {
  const rows = sql.all`UPDATE turns SET announced = 1 WHERE seq IN (
      SELECT seq FROM turns INDEXED BY turns_unannounced
      WHERE announced = 0 AND state = 'waiting' AND kept_at < iif(ready > 0, ${ready}, ${behind})
        AND kept_at < ${Math.max(behind, ready)} ORDER BY kept_at, seq LIMIT ${limit})
    RETURNING *`;
  return rows
    .sort((one, other) => seqOf(one) - seqOf(other))
    .flatMap((row) => {
      const turn = turnOf(row);
      return turn === undefined ? [] : { turn, ahead: countAhead(sql, turn.lane, seqOf(row)) };
    });
}

/**
 * Puts turns back to waiting if an earlier process of the owner claimed them. Also puts turns with a damaged state
 * back to waiting, so that their replies end.
 */
export function recoverTurns(sql: SQLTagStore, by: Omit<Lease, 'until'>, now: number): number {
  sql.run`UPDATE turns INDEXED BY turns_astray
    SET state = 'running', phase = 'damaged', owner = ${by.owner}, life = 'none', interruption = 'none'
    WHERE ended_at IS NULL AND state NOT IN ('waiting', 'running')`;
  const rows = sql.all`SELECT seq, lane, interruption FROM turns INDEXED BY turns_running
    WHERE state = 'running' AND owner = ${by.owner} AND life <> ${by.life}`;
  for (const row of rows) giveBack(sql, row, now);
  return rows.length;
}

/**
 * Puts turns with an expired lease back to waiting, except turns that the process with the `life` `spared` claimed. The
 * query that claims turns does not do this, because it could then not use its index.
 */
export function expireTurns(sql: SQLTagStore, now: number, spared: string | undefined): number {
  const rows = sql.all`SELECT seq, lane, interruption FROM turns INDEXED BY turns_running
    WHERE state = 'running' AND lease_until <= ${now} AND life IS NOT ${spared ?? null}`;
  for (const row of rows) giveBack(sql, row, now);
  return rows.length;
}

export function pruneTurns(sql: SQLTagStore, before: number): number {
  sql.run`DELETE FROM withdrawn WHERE at < ${before}`;
  const { changes } = sql.run`DELETE FROM turns WHERE seq IN (
    SELECT seq FROM turns INDEXED BY turns_ended WHERE ended_at < ${before} LIMIT ${PRUNED_AT_ONCE})`;
  return Number(changes);
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
