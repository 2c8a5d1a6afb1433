import type { SQLTagStore } from 'node:sqlite';
import type { LaneKey, TurnId } from '../../core/ids.ts';
import type { Inbox, NewTurn, Superseded } from '../../core/stores/inbox.ts';
import type { Rewritten } from '../store.ts';
import { idOf, type Row, seqOf, textOf, turnOf } from '../turn-rows.ts';
import { countWaiting, hold, moveToFront } from './lanes.ts';
import { end, findRow, insertTurn, interruptTurn, isWithdrawn, newestAsking } from './turn-table.ts';

/** Applies edits and deletions of a question to its turns. Each function runs inside the caller's transaction. */

/** Stores a newer revision of a question in place of the turns of earlier revisions, in the same reply. */
export function supersedeTurn(
  sql: SQLTagStore,
  turn: NewTurn,
  laneLimit: number,
  now: number,
): Rewritten<Superseded> {
  const earlier = newestAsking(sql, turn.messageKey ?? '');
  const refusal = refusalOf(sql, turn, earlier);
  if (refusal !== undefined || earlier === undefined) {
    return { result: refusal ?? { kind: 'unknown' }, interrupted: [] };
  }
  const active = activeOf(sql, textOf(earlier.reply));
  const replaced = active.filter((row) => row.state === 'waiting');
  const waiting = countWaiting(sql, turn.lane) - replaced.length;
  if (waiting >= laneLimit) return { result: { kind: 'full', waiting }, interrupted: [] };
  const [place] = replaced.map((row) => vacate(sql, row, now));
  const interrupted = active.filter((row) => row.state === 'running').map(idOf);
  for (const id of interrupted) interruptTurn(sql, id, { kind: 'superseded' });
  const result = insertTurn(sql, { ...turn, follows: idOf(earlier) }, now, place);
  return { result, interrupted };
}

function refusalOf(sql: SQLTagStore, turn: NewTurn, earlier: Row | undefined): Superseded | undefined {
  const known = sql.get`SELECT id FROM turns WHERE origin_key = ${turn.originKey}`;
  if (known !== undefined) return { kind: 'duplicate', id: idOf(known) };
  if (isWithdrawn(sql, turn.messageKey ?? '')) return { kind: 'withdrawn' };
  const asked = earlier && turnOf(earlier);
  if (asked !== undefined && asked.message.revision >= turn.message.revision) {
    return { kind: 'duplicate', id: asked.id };
  }
  return undefined;
}

/**
 * Returns the waiting and running turns of a reply, except turns that only show a kept version or remove the
 * reply.
 */
const activeOf = (sql: SQLTagStore, reply: string): readonly Row[] =>
  sql.all`SELECT * FROM turns INDEXED BY turns_of_reply WHERE reply = ${reply}
    AND state IN ('waiting', 'running') AND origin ->> '$.kind' NOT IN ('show', 'withdraw') ORDER BY seq`;

/** Ends a waiting turn before it starts and returns its place in the lane. */
function vacate(sql: SQLTagStore, row: Row, now: number): number {
  end(sql, row, { state: 'superseded', now });
  hold(sql, textOf(row.lane));
  const place = seqOf(row);
  sql.run`UPDATE turns SET seq = (SELECT max(seq) + 1 FROM turns) WHERE seq = ${place}`;
  return place;
}

type TurnFor = Parameters<Inbox['withdraw']>[1];

/** Removes the replies of a deleted message, and records that the message is deleted. */
export function withdrawTurns(
  sql: SQLTagStore,
  messageKey: string,
  turnFor: TurnFor,
  now: number,
): Rewritten<number> {
  sql.run`INSERT OR IGNORE INTO withdrawn (message_key, at) VALUES (${messageKey}, ${now})`;
  const replies = sql.all`SELECT DISTINCT reply FROM turns INDEXED BY turns_of_message
    WHERE message_key = ${messageKey}`.map((row) => textOf(row.reply));
  const done = replies.map((reply) => withdrawReply(sql, reply, turnFor, now));
  return {
    result: done.filter((one) => one !== 'nothing').length,
    interrupted: done.flatMap((one) => (typeof one === 'string' ? [] : one)),
  };
}

/**
 * Interrupts the waiting and running turns of a reply and returns the running ones. If the reply has neither, adds a
 * turn that removes the ended reply, and returns `added`. Returns `nothing` if there is nothing to remove, or if such a
 * turn exists already.
 */
function withdrawReply(
  sql: SQLTagStore,
  reply: string,
  turnFor: TurnFor,
  now: number,
): readonly TurnId[] | 'added' | 'nothing' {
  const active = activeOf(sql, reply);
  for (const row of active) interruptTurn(sql, idOf(row), { kind: 'withdrawn' });
  if (active.length > 0) return active.filter((row) => row.state === 'running').map(idOf);
  const newest = newestOf(sql, reply);
  const turn = newest && turnOf(newest);
  if (turn === undefined || turn.state === 'withdrawn' || turn.origin.kind === 'withdraw') return 'nothing';
  const taking = turnFor(turn);
  const known = sql.get`SELECT id FROM turns WHERE origin_key = ${taking.originKey}`;
  if (known !== undefined) return 'nothing';
  insertTurn(sql, { ...taking, follows: turn.id }, now);
  return 'added';
}

/** Returns the newest turn of a reply, except turns that only show a kept version. */
const newestOf = (sql: SQLTagStore, reply: string): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_of_reply WHERE reply = ${reply} AND json_valid(origin)
    AND origin ->> '$.kind' <> 'show' ORDER BY state = 'superseded', kept_at DESC, seq DESC LIMIT 1`;

export function newestOfReply(sql: SQLTagStore, id: TurnId): Row | undefined {
  const row = findRow(sql, id);
  return row && newestOf(sql, textOf(row.reply));
}

/**
 * Stops the lane's running turn, and moves the person's waiting question `turn`, or else their newest one, to the front.
 * Returns the stopped turn.
 */
export function askInstead(sql: SQLTagStore, lane: LaneKey, person: string, turn?: TurnId): Row | undefined {
  const running = sql.get`SELECT * FROM turns INDEXED BY turns_running
    WHERE lane = ${lane} AND state = 'running' AND interruption IS NULL ORDER BY seq LIMIT 1`;
  const own = sql.get`SELECT seq FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL AND ready >= 0
      AND json_valid(message) AND message ->> '$.sender.id' = ${person}
      AND id = coalesce(${turn ?? null}, id) ORDER BY seq DESC LIMIT 1`;
  if (running === undefined || own === undefined) return undefined;
  moveToFront(sql, lane, seqOf(own));
  interruptTurn(sql, idOf(running), { kind: 'stop', by: person });
  return running;
}
