/** Statements on single turns. Each function runs inside the caller's transaction, after it has locked the lanes. */

import type { TurnId } from '../../core/ids.ts';
import type { TurnFacts } from '../../core/stores/audit.ts';
import type { Added, KeptBefore, NewTurn, Waiting } from '../../core/stores/inbox.ts';
import type { Interruption, Terminal, Turn } from '../../core/turn.ts';
import { insertRecords } from '../audit.ts';
import { endedRecord } from '../audit-rows.ts';
import { commas, forEach, inLists, listOf, type Sql, type Steps, sql } from '../sql.ts';
import type { AddedTurn } from '../store.ts';
import {
  idOf,
  interruptionOf,
  isOutdated,
  parse,
  placeOf,
  type Row,
  strongerOf,
  textOf,
  turnOf,
} from '../turn-rows.ts';
import {
  claimedTooEarly,
  countAhead,
  countWaiting,
  lanesOf,
  placeByTime,
  promote,
  updateEach,
} from './lanes.ts';
import type { TurnTable } from './table.ts';

/** Reads a row. Returns undefined if its thread or state cannot be read. */
export function readTurn({ time }: TurnTable, row: Row | undefined): Turn | undefined {
  const turn = row && turnOf(row);
  return turn && { ...turn, keptAt: time.toLocal(turn.keptAt) };
}

export function* findTurn(id: TurnId): Steps<Row | undefined> {
  const [row] = yield sql`SELECT * FROM parley.turns WHERE id = ${id}`;
  return row;
}

export function* idOfOrigin(originKey: string): Steps<TurnId | undefined> {
  const [known] = yield sql`SELECT id FROM parley.turns WHERE origin_key = ${originKey}`;
  return known && idOf(known);
}

export function* isWithdrawn(messageKey: string): Steps<boolean> {
  return (yield sql`SELECT 1 AS found FROM parley.withdrawn WHERE message_key = ${messageKey}`).length > 0;
}

/** Returns the newest turn that asked this message. Excludes acts on an answer, because each act has its own reply. */
export function* newestAsking({ kind, place }: TurnTable, messageKey: string): Steps<Row | undefined> {
  const [row] =
    yield sql`SELECT * FROM parley.turns INDEXED BY turns_of_message WHERE message_key = ${messageKey}
    AND ${kind} IN ('message', 'retry', 'regenerate')
    ORDER BY state = 'superseded', kept_at DESC, ${place} DESC LIMIT 1`;
  return row;
}

export function* addTurn(table: TurnTable, turn: NewTurn, laneLimit: number): Steps<AddedTurn> {
  const known = yield* idOfOrigin(turn.originKey);
  if (known !== undefined) return { added: { kind: 'duplicate', id: known } };
  const late = yield* refusalOf(table, turn);
  if (late !== undefined) return { added: late };
  const waiting = yield* countWaiting(turn.lane);
  if (waiting >= laneLimit) return { added: { kind: 'full', waiting } };
  const early = yield* claimedTooEarly(table, turn);
  if (early !== undefined) yield* giveBack(table, [early]);
  const added = yield* insertTurn(table, turn, yield* placeByTime(table, turn));
  return { added, ...(early !== undefined && { takenBack: idOf(early) }) };
}

/**
 * Returns the result for a message or a press of Retry that must not be stored: `withdrawn` if the message was deleted
 * before it arrived, and `duplicate` if the turn is outdated (`isOutdated`). Returns undefined for all other turns. To
 * replace an older revision of the message by a newer one, call `supersede`.
 */
function* refusalOf(table: TurnTable, turn: NewTurn): Steps<Added | undefined> {
  const { messageKey } = turn;
  if (messageKey === undefined) return undefined;
  if (yield* isWithdrawn(messageKey)) return { kind: 'withdrawn' };
  const row = yield* newestAsking(table, messageKey);
  const question = row && turnOf(row);
  return question !== undefined && isOutdated(turn, { ...question, revision: question.message.revision })
    ? { kind: 'duplicate', id: question.id }
    : undefined;
}

/** @param place the place in the lane; absent for the end of the lane */
export function* insertTurn(
  table: TurnTable,
  turn: NewTurn,
  place?: number,
): Steps<Extract<Added, { kind: 'added' }>> {
  yield insertion(table, [{ turn, isFirst: false, place }]);
  yield* promote(table, [turn.lane]);
  return { kind: 'added', ahead: yield* countAhead(table, turn) };
}

interface Inserted {
  readonly turn: NewTurn;
  /** True if no other turn of the lane waits or runs, so that this one can be claimed at once. */
  readonly isFirst: boolean;
  /** Absent for the end of the lane. */
  readonly place?: number | undefined;
}

/** Inserts turns. There must be at least one. */
export function insertion(table: TurnTable, inserted: readonly Inserted[]): Sql {
  const now = table.time.now();
  const rows = inserted.map(({ turn, isFirst, place }) => {
    const { id, follows, originKey, messageKey = null, lane, origin, message } = turn;
    const past = sql`coalesce((SELECT reply FROM parley.turns AS past WHERE past.id = ${follows ?? null}), ${id})`;
    const reply = follows === undefined ? id : past;
    const [originJson, messageJson] = [JSON.stringify(origin), JSON.stringify(message)];
    return sql`(${place === undefined ? table.nextPlace : sql`${place}`}, ${id}, ${originKey}, ${lane},
      ${reply}, ${messageKey},
      ${isFirst ? 1 : 0}, ${now}, ${originJson}, ${messageJson}${table.ownValues(turn)})`;
  });
  return sql`INSERT INTO parley.turns
    (${table.place}, id, origin_key, lane, reply, message_key, ready, kept_at, origin, message${table.ownColumns})
    VALUES ${commas(rows)}`;
}

/**
 * Puts turns back to waiting at their old places. An interrupted turn is claimable at once; a superseded turn is ended.
 */
export function* giveBack(table: TurnTable, rows: readonly Row[]): Steps<void> {
  const over = rows.filter((row) => interruptionOf(row)?.kind === 'superseded');
  yield* end(table, over, 'superseded');
  const back = rows.filter((row) => !over.includes(row));
  yield* forEach(
    back.map(idOf),
    (list) => sql`UPDATE parley.turns SET state = 'waiting', ${table.unclaimed},
      ready = CASE WHEN interruption IS NULL THEN 0 ELSE 2 END,
      unasked = unasked + CASE WHEN phase = 'new' THEN 1 ELSE 0 END WHERE id IN (${list})`,
  );
  yield* promote(table, lanesOf(back));
}

/**
 * Ends turns, adds their records to the audit, and deletes their recorded texts and the texts of their messages; ids,
 * screens and sessions stay.
 * @param facts facts for the audit that the stored turn lacks, by the turn's id; absent for turns that did not run
 */
export function* end(
  table: TurnTable,
  over: readonly Row[],
  state: Terminal,
  facts?: ReadonlyMap<string, TurnFacts>,
): Steps<void> {
  const now = table.time.now();
  for (const some of inLists(over.map(idOf))) {
    const rows = yield sql`SELECT ${table.key} AS answers_key, id, lane, reply, message_key, phase, attempt,
      postponed, origin, message, kept_at, agent, account, session FROM parley.turns WHERE id IN (${listOf(some)})`;
    if (rows.length === 0) continue;
    yield insertRecords(rows.map((row) => endedRecord(row, state, now, facts?.get(idOf(row)))));
    const keys = rows.map(({ answers_key: key }) => (typeof key === 'number' ? key : textOf(key)));
    yield sql`DELETE FROM parley.answers WHERE turn IN (${listOf(keys)})`;
    yield updateEach(
      rows.map((row) => ({ id: idOf(row), message: withoutText(row) })),
      (value) =>
        sql`state = ${state}, ended_at = ${now}, ready = 0, ${table.unclaimed}, message = ${value('message')}`,
    );
    yield* promote(table, lanesOf(rows));
  }
}

/** Returns the message's JSON without people's texts; an empty text if it cannot be read. */
function withoutText({ message }: Row): string {
  const value = parse(message);
  if (typeof value !== 'object' || value === null) return '';
  return JSON.stringify({ ...value, text: '', quoted: [], files: [], omitted: undefined });
}

/**
 * Marks a waiting or running turn as interrupted. A waiting turn is then claimed next, so people get no notice that it
 * waits. The first reason is kept unless the new reason has a higher rank (`RANKS`).
 */
export function* interruptRow(
  table: TurnTable,
  row: Row | undefined,
  why: Interruption,
): Steps<'running' | 'waiting' | 'none'> {
  const state = row?.state;
  if (row === undefined || (state !== 'running' && state !== 'waiting')) return 'none';
  yield sql`UPDATE parley.turns SET interruption = ${JSON.stringify(strongerOf(row, why))}, announced = true,
    ready = CASE WHEN state = 'waiting' THEN 2 ELSE 0 END WHERE id = ${idOf(row)}`;
  yield* promote(table, [textOf(row.lane)]);
  return state;
}

/** Returns waiting turns whose people are to be told that they wait, and marks them. */
export function* announceTurns(
  table: TurnTable,
  { behind, ready }: KeptBefore,
  limit: number,
): Steps<readonly Waiting[]> {
  const rows = yield sql`UPDATE parley.turns SET announced = true WHERE id IN (
      SELECT id FROM parley.turns INDEXED BY turns_unannounced
      WHERE ${table.unannounced} AND state = 'waiting' AND kept_at < ${Math.max(behind, ready)}
        AND (ready > 0 AND kept_at < ${ready} OR ready <= 0 AND kept_at < ${behind})${table.isOwn()}
      ORDER BY kept_at, ${table.place} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING *`;
  const waiting: Waiting[] = [];
  for (const row of rows.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    const turn = readTurn(table, row);
    if (turn !== undefined) waiting.push({ turn, ahead: yield* countAhead(table, turn) });
  }
  return waiting;
}
