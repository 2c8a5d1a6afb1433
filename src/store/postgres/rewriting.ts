import type { LaneKey, TurnId } from '../../core/ids.ts';
import type { Inbox, InboxSignal, NewTurn, Superseded } from '../../core/stores/inbox.ts';
import type { Interruption, Turn } from '../../core/turn.ts';
import type { Rewritten } from '../store.ts';
import { idOf, interruptionOf, strongerOf, textOf, turnOf } from '../turn-rows.ts';
import type { Query, Row } from './database.ts';
import { countWaiting, hold, lanesOf, lockLanes, promote } from './lanes.ts';
import type { DatabaseTime } from './time.ts';
import { end, idOfOrigin, insertTurn, isWithdrawn, newestAsking, readTurn } from './turns.ts';

/** Applies interruptions, edits and deletions of a question to its turns. Runs inside the caller's transaction. */

interface Rewriting {
  readonly time: DatabaseTime;
  readonly laneLimit: number;
}

export async function findTurn(query: Query, id: TurnId): Promise<Row | undefined> {
  const [row] = await query('SELECT * FROM parley.turns WHERE id = $1', [id]);
  return row;
}

/** Resolves with a signal for each turn that this replica runs and that was interrupted. */
export async function interruptionsOf(query: Query, owner: string): Promise<readonly InboxSignal[]> {
  const rows = await query(
    `SELECT id, interruption FROM parley.turns WHERE owner = $1 AND state = 'running' AND interruption IS NOT NULL`,
    [owner],
  );
  return rows.flatMap((row) => {
    const why = interruptionOf(row);
    return why === undefined ? [] : [{ kind: 'interrupted', id: idOf(row), why }];
  });
}

type Interrupted = Awaited<ReturnType<Inbox['interrupt']>>;

/**
 * Marks a waiting or running turn as interrupted. A waiting turn is then claimed next, so people get no notice that it
 * waits. The first reason is kept unless the new reason has a higher rank (`RANKS`).
 */
export async function interruptTurn(query: Query, id: TurnId, why: Interruption): Promise<Interrupted> {
  const lane = textOf((await findTurn(query, id))?.lane);
  await lockLanes(query, [lane]);
  const [row] = await query('SELECT * FROM parley.turns WHERE id = $1 FOR UPDATE', [id]);
  return row === undefined ? 'none' : interruptRow(query, row, why);
}

async function interruptRow(query: Query, row: Row, why: Interruption): Promise<Interrupted> {
  const { state } = row;
  if (state !== 'running' && state !== 'waiting') return 'none';
  await query(
    `UPDATE parley.turns SET interruption = $2, announced = true, ready = CASE WHEN state = 'waiting' THEN 2 ELSE 0 END
    WHERE id = $1`,
    [idOf(row), JSON.stringify(strongerOf(row, why))],
  );
  await promote(query, [textOf(row.lane)]);
  return state;
}

/** Stores a newer revision of a question in place of the turns of earlier revisions, in the same reply. */
export async function supersedeTurn(
  query: Query,
  turn: NewTurn,
  at: Rewriting,
): Promise<Rewritten<Superseded>> {
  const key = turn.messageKey ?? '';
  const reply = textOf((await newestAsking(query, key))?.reply);
  await lockReply(query, reply, { lanes: [turn.lane], messages: [key] });
  const earlier = await newestAsking(query, key);
  const refusal = await refusalOf(query, turn, earlier);
  if (refusal !== undefined || earlier === undefined) {
    return { result: refusal ?? { kind: 'unknown' }, interrupted: [] };
  }
  const active = await activeOf(query, textOf(earlier.reply));
  const replaced = active.filter((row) => row.state === 'waiting');
  const waiting = (await countWaiting(query, turn.lane)) - replaced.length;
  if (waiting >= at.laneLimit) return { result: { kind: 'full', waiting }, interrupted: [] };
  const [first] = replaced;
  if (first !== undefined) {
    await end(query, replaced, { state: 'superseded', now: at.time.now() });
    await hold(query, lanesOf(replaced));
  }
  const running = active.filter((row) => row.state === 'running');
  for (const row of running) await interruptRow(query, row, { kind: 'superseded' });
  const place = first && Number(first.place);
  const result = await insertTurn(
    query,
    { ...turn, follows: idOf(earlier) },
    { now: at.time.now(), ...(place !== undefined && { place }) },
  );
  return { result, interrupted: running.map(idOf) };
}

async function refusalOf(
  query: Query,
  turn: NewTurn,
  earlier: Row | undefined,
): Promise<Superseded | undefined> {
  const known = await idOfOrigin(query, turn.originKey);
  if (known !== undefined) return { kind: 'duplicate', id: known };
  if (await isWithdrawn(query, turn.messageKey ?? '')) return { kind: 'withdrawn' };
  return earlier !== undefined && Number(earlier.revision) >= turn.message.revision
    ? { kind: 'duplicate', id: idOf(earlier) }
    : undefined;
}

interface Locked {
  readonly lanes?: readonly string[];
  readonly messages?: readonly string[];
}

/** Locks the lanes of a reply's turns, and the given lanes and messages. */
async function lockReply(query: Query, reply: string, { lanes: own = [], messages }: Locked): Promise<void> {
  const lanes = await query('SELECT DISTINCT lane FROM parley.turns WHERE reply = $1', [reply]);
  await lockLanes(query, [...own, ...lanes.map((row) => textOf(row.lane))], messages);
}

/**
 * Resolves with the waiting and running turns of a reply, except turns that only show a stored version or remove the
 * reply.
 */
const activeOf = (query: Query, reply: string): Promise<readonly Row[]> =>
  query(
    `SELECT * FROM parley.turns WHERE reply = $1 AND state IN ('waiting', 'running')
      AND kind NOT IN ('show', 'withdraw') ORDER BY place FOR UPDATE`,
    [reply],
  );

interface Withdrawing {
  readonly time: DatabaseTime;
  turnFor(newest: Turn): NewTurn;
}

/** Removes the replies of a deleted message, and records that the message was deleted. */
export async function withdrawTurns(
  query: Query,
  messageKey: string,
  by: Withdrawing,
): Promise<Rewritten<number>> {
  await lockLanes(query, [], [messageKey]);
  await query('INSERT INTO parley.withdrawn VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    messageKey,
    by.time.now(),
  ]);
  const replies = await query('SELECT DISTINCT reply FROM parley.turns WHERE message_key = $1', [messageKey]);
  const interrupted: TurnId[] = [];
  let result = 0;
  for (const { reply } of replies) {
    const done = await withdrawReply(query, textOf(reply), by);
    if (done === 'nothing') continue;
    result += 1;
    if (done !== 'added') interrupted.push(...done);
  }
  return { result, interrupted };
}

/**
 * Resolves with the running turns that were interrupted; with `added` if a turn was added that removes the ended reply;
 * with `nothing` if there is no reply to remove.
 */
async function withdrawReply(
  query: Query,
  reply: string,
  by: Withdrawing,
): Promise<readonly TurnId[] | 'added' | 'nothing'> {
  await lockReply(query, reply, {});
  const active = await activeOf(query, reply);
  for (const row of active) await interruptRow(query, row, { kind: 'withdrawn' });
  if (active.length > 0) return active.filter((row) => row.state === 'running').map(idOf);
  const newest = await newestOf(query, reply);
  const turn = newest && readTurn(newest, by.time);
  if (turn === undefined || turn.state === 'withdrawn' || turn.origin.kind === 'withdraw') return 'nothing';
  const taking = by.turnFor(turn);
  if ((await idOfOrigin(query, taking.originKey)) !== undefined) return 'nothing';
  await lockLanes(query, [taking.lane]);
  await insertTurn(query, { ...taking, follows: turn.id }, { now: by.time.now() });
  return 'added';
}

/** Resolves with the newest turn of a reply. Ignores turns that only show a stored version. */
async function newestOf(query: Query, reply: string): Promise<Row | undefined> {
  const [row] = await query(
    `SELECT * FROM parley.turns WHERE reply = $1 AND kind <> 'show'
    ORDER BY state = 'superseded', kept_at DESC, place DESC LIMIT 1`,
    [reply],
  );
  return row;
}

export async function newestOfReply(query: Query, id: TurnId): Promise<Row | undefined> {
  const row = await findTurn(query, id);
  return row && newestOf(query, textOf(row.reply));
}

/**
 * Stops the lane's running turn, and moves the person's waiting question `turn`, or else their newest one, to the front.
 * Resolves with the stopped turn.
 */
export async function askInstead(
  query: Query,
  lane: LaneKey,
  person: string,
  turn: TurnId | undefined,
): Promise<Rewritten<Row | undefined>> {
  await lockLanes(query, [lane]);
  const [running] = await query(
    `SELECT * FROM parley.turns WHERE lane = $1 AND state = 'running' AND interruption IS NULL ORDER BY place LIMIT 1`,
    [lane],
  );
  const waiting = await query(
    `SELECT * FROM parley.turns
    WHERE lane = $1 AND state = 'waiting' AND interruption IS NULL AND ready >= 0 ORDER BY place`,
    [lane],
  );
  const own = waiting.findLast(
    (row) => (turn === undefined || idOf(row) === turn) && turnOf(row)?.message.sender.id === person,
  );
  if (running === undefined || own === undefined) return { result: undefined, interrupted: [] };
  const first = Number(waiting[0]?.place);
  // A place may be a fraction, here between the running turn, which usually precedes all waiting ones, and the first of them.
  const place = (Math.min(Number(running.place), first - 1) + first) / 2;
  if (own !== waiting[0]) await query('UPDATE parley.turns SET place = $2 WHERE id = $1', [idOf(own), place]);
  await interruptRow(query, running, { kind: 'stop', by: person });
  return { result: running, interrupted: [idOf(running)] };
}
