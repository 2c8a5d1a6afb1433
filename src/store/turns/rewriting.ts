/** Applies interruptions, edits and deletions of a question to its turns. Each function runs in a transaction of its own. */

import type { LaneKey, TurnId } from '../../core/ids.ts';
import type { NewTurn, Superseded } from '../../core/stores/inbox.ts';
import type { Interruption, Turn } from '../../core/turn.ts';
import type { Steps } from '../sql.ts';
import { sql } from '../sql.ts';
import type { Rewritten } from '../store.ts';
import { idOf, placeOf, type Row, textOf, turnOf } from '../turn-rows.ts';
import { countWaiting, hold, lanesOf, moveToFront, shift } from './lanes.ts';
import type { TurnTable } from './table.ts';
import {
  end,
  findTurn,
  idOfOrigin,
  insertTurn,
  interruptRow,
  isWithdrawn,
  newestAsking,
  readTurn,
} from './turns.ts';

export function* interruptTurn(
  table: TurnTable,
  id: TurnId,
  why: Interruption,
): Steps<'running' | 'waiting' | 'none'> {
  yield* table.lock([textOf((yield* findTurn(id))?.lane)]);
  const [row] = yield sql`SELECT * FROM parley.turns WHERE id = ${id} FOR UPDATE`;
  const result = yield* interruptRow(table, row, why);
  if (result !== 'none') yield* table.tell(result === 'running' ? 'interrupted' : 'claimable');
  return result;
}

/** Stores a newer revision of a question in place of the turns of earlier revisions, in the same reply. */
export function* supersedeTurn(
  table: TurnTable,
  turn: NewTurn,
  laneLimit: number,
): Steps<Rewritten<Superseded>> {
  const key = turn.messageKey ?? '';
  yield* lockReply(table, textOf((yield* newestAsking(table, key))?.reply), [turn.lane], [key]);
  const earlier = yield* newestAsking(table, key);
  const refusal = yield* refusalOf(turn, earlier);
  if (refusal !== undefined || earlier === undefined) {
    return { result: refusal ?? { kind: 'unknown' }, interrupted: [] };
  }
  const active = yield* activeOf(table, textOf(earlier.reply));
  const replaced = active.filter((row) => row.state === 'waiting');
  const waiting = (yield* countWaiting(turn.lane)) - replaced.length;
  if (waiting >= laneLimit) return { result: { kind: 'full', waiting }, interrupted: [] };
  yield* end(table, replaced, 'superseded');
  yield* hold(lanesOf(replaced));
  for (const row of replaced) yield* shift(table, [row]);
  const running = active.filter((row) => row.state === 'running');
  for (const row of running) yield* interruptRow(table, row, { kind: 'superseded' });
  const result = yield* insertTurn(table, { ...turn, follows: idOf(earlier) }, replaced.map(placeOf)[0]);
  return yield* announced(table, { result, interrupted: running.map(idOf) });
}

function* announced<Result>(table: TurnTable, rewritten: Rewritten<Result>): Steps<Rewritten<Result>> {
  yield* table.tell(rewritten.interrupted.length > 0 ? 'interrupted' : 'claimable');
  return rewritten;
}

function* refusalOf(turn: NewTurn, earlier: Row | undefined): Steps<Superseded | undefined> {
  const known = yield* idOfOrigin(turn.originKey);
  if (known !== undefined) return { kind: 'duplicate', id: known };
  if (yield* isWithdrawn(turn.messageKey ?? '')) return { kind: 'withdrawn' };
  const question = earlier && turnOf(earlier);
  return question !== undefined && question.message.revision >= turn.message.revision
    ? { kind: 'duplicate', id: question.id }
    : undefined;
}

/** Locks the lanes of a reply's turns, and the given lanes and messages. */
function* lockReply(
  table: TurnTable,
  reply: string,
  lanes: readonly string[] = [],
  messages: readonly string[] = [],
): Steps<void> {
  const rows =
    yield sql`SELECT DISTINCT lane FROM parley.turns INDEXED BY turns_of_reply WHERE reply = ${reply}`;
  yield* table.lock([...lanes, ...lanesOf(rows)], messages);
}

/**
 * Returns the waiting and running turns of a reply, except turns that only show a stored version or remove the
 * reply.
 */
function* activeOf({ kind, place }: TurnTable, reply: string): Steps<readonly Row[]> {
  return yield sql`SELECT * FROM parley.turns INDEXED BY turns_of_reply WHERE reply = ${reply}
    AND state IN ('waiting', 'running') AND coalesce(${kind}, '') NOT IN ('show', 'withdraw')
    ORDER BY ${place} FOR UPDATE`;
}

/** Removes the replies of a deleted message, and records that the message is deleted. */
export function* withdrawTurns(
  table: TurnTable,
  messageKey: string,
  turnFor: (newest: Turn) => NewTurn,
): Steps<Rewritten<number>> {
  yield* table.lock([], [messageKey]);
  yield sql`INSERT INTO parley.withdrawn (message_key, at) VALUES (${messageKey}, ${table.time.now()})
    ON CONFLICT (message_key) DO NOTHING`;
  const replies = yield sql`SELECT DISTINCT reply FROM parley.turns INDEXED BY turns_of_message
    WHERE message_key = ${messageKey}`;
  const interrupted: TurnId[] = [];
  let result = 0;
  for (const { reply } of replies) {
    const done = yield* withdrawReply(table, textOf(reply), turnFor);
    if (done === 'nothing') continue;
    result += 1;
    if (done !== 'added') interrupted.push(...done);
  }
  return yield* announced(table, { result, interrupted });
}

/**
 * Interrupts the waiting and running turns of a reply and returns the running ones. If the reply has neither, adds a
 * turn that removes the ended reply, and returns `added`. Returns `nothing` if there is nothing to remove, or if such a
 * turn exists already.
 */
function* withdrawReply(
  table: TurnTable,
  reply: string,
  turnFor: (newest: Turn) => NewTurn,
): Steps<readonly TurnId[] | 'added' | 'nothing'> {
  yield* lockReply(table, reply);
  const active = yield* activeOf(table, reply);
  for (const row of active) yield* interruptRow(table, row, { kind: 'withdrawn' });
  if (active.length > 0) return active.filter((row) => row.state === 'running').map(idOf);
  const turn = readTurn(table, yield* newestOf(table, reply));
  if (turn === undefined || turn.state === 'withdrawn' || turn.origin.kind === 'withdraw') return 'nothing';
  const taking = turnFor(turn);
  if ((yield* idOfOrigin(taking.originKey)) !== undefined) return 'nothing';
  yield* table.lock([taking.lane]);
  yield* insertTurn(table, { ...taking, follows: turn.id });
  return 'added';
}

/** Returns the newest turn of a reply, except turns that only show a stored version. */
function* newestOf({ kind, place }: TurnTable, reply: string): Steps<Row | undefined> {
  const [row] = yield sql`SELECT * FROM parley.turns INDEXED BY turns_of_reply WHERE reply = ${reply}
    AND ${kind} <> 'show' ORDER BY state = 'superseded', kept_at DESC, ${place} DESC LIMIT 1`;
  return row;
}

export function* newestOfReply(table: TurnTable, id: TurnId): Steps<Row | undefined> {
  const row = yield* findTurn(id);
  return row && (yield* newestOf(table, textOf(row.reply)));
}

/**
 * Stops the lane's running turn, and moves the person's waiting question `turn`, or else their newest one, to the front.
 * Returns the stopped turn.
 */
export function* askInstead(
  table: TurnTable,
  lane: LaneKey,
  person: string,
  turn?: TurnId,
): Steps<Row | undefined> {
  const { place } = table;
  yield* table.lock([lane]);
  const [running] = yield sql`SELECT * FROM parley.turns INDEXED BY turns_running
    WHERE lane = ${lane} AND state = 'running' AND interruption IS NULL ORDER BY ${place} LIMIT 1`;
  const waiting = yield sql`SELECT * FROM parley.turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL AND ready >= 0 ORDER BY ${place}`;
  const own = waiting.findLast(
    (row) => (turn === undefined || idOf(row) === turn) && turnOf(row)?.message.sender.id === person,
  );
  if (running === undefined || own === undefined) return undefined;
  yield* moveToFront(table, own);
  yield* interruptRow(table, running, { kind: 'stop', by: person });
  yield* table.tell('interrupted');
  return running;
}
