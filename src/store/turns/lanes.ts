/** The order of the turns in a lane. Each function runs inside the caller's transaction, after it has locked the lane. */

import type { LaneKey } from '../../core/ids.ts';
import type { NewTurn } from '../../core/stores/inbox.ts';
import type { Turn } from '../../core/turn.ts';
import { startOf } from '../extent.ts';
import {
  begins,
  either,
  forEach,
  inLists,
  once,
  rowsOf,
  type Sql,
  type Steps,
  sql,
  type Value,
} from '../sql.ts';
import { idOf, placeOf, type Row, textOf } from '../turn-rows.ts';
import type { TurnTable } from './table.ts';

export const lanesOf = (rows: readonly Row[]): readonly string[] => rows.map(({ lane }) => textOf(lane));

/**
 * Marks the next turns of lanes without a running turn as claimable. Must be called after every change of a lane
 * except a claim.
 */
export function* promote({ key, place }: TurnTable, lanes: readonly string[]): Steps<void> {
  for (const some of inLists(lanes)) {
    const next = some.map(
      (lane) => sql`${key} = (SELECT next.${key} FROM parley.turns AS next INDEXED BY turns_waiting
        WHERE next.lane = ${lane} AND next.state = 'waiting' AND next.interruption IS NULL
        ORDER BY next.${place} LIMIT 1)`,
    );
    yield sql`UPDATE parley.turns SET ready = 1 WHERE ready = 0 AND state = 'waiting' AND ${either(next)}
      AND NOT EXISTS (SELECT 1 FROM parley.turns AS other INDEXED BY turns_running
        WHERE other.lane = turns.lane AND other.state = 'running')`;
  }
}

/** Makes the next turns of the lanes unclaimable, because other turns go first. */
export function* hold(lanes: readonly string[]): Steps<void> {
  yield* forEach(
    lanes,
    (list) => sql`UPDATE parley.turns INDEXED BY turns_waiting SET ready = 0
      WHERE lane IN (${list}) AND state = 'waiting' AND ready = 1`,
  );
}

/**
 * Returns the running turn of a lane, or else its oldest waiting turn. Of several running turns, prefers one that was
 * not interrupted.
 */
export function* currentOf({ place }: TurnTable, lane: LaneKey): Steps<Row | undefined> {
  const [running] = yield sql`SELECT * FROM parley.turns INDEXED BY turns_running
    WHERE lane = ${lane} AND state = 'running' ORDER BY interruption IS NOT NULL, ${place} LIMIT 1`;
  if (running !== undefined) return running;
  const [waiting] = yield sql`SELECT * FROM parley.turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' ORDER BY ${place} LIMIT 1`;
  return waiting;
}

/** Selects the running turns of a channel's tenant, in the order of the questions. */
export const runningIn = ({ place }: TurnTable, channel: string, tenant: string): Steps<readonly Row[]> =>
  once(sql`SELECT * FROM parley.turns INDEXED BY turns_running
    WHERE state = 'running' AND ${begins('lane', startOf(channel, tenant))} ORDER BY ${place}`);

export const countAll = (): Steps<readonly Row[]> =>
  once(sql`SELECT
    (SELECT count(*) FROM parley.turns INDEXED BY turns_waiting WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM parley.turns INDEXED BY turns_postponed WHERE ready < 0) AS postponed,
    (SELECT count(*) FROM parley.turns INDEXED BY turns_running WHERE state = 'running') AS running`);

export function* countWaiting(lane: string): Steps<number> {
  const [row] = yield sql`SELECT count(*) AS n FROM parley.turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting'`;
  return Number(row?.n);
}

export const screensIn = (lane: LaneKey, since: number): Steps<readonly Row[]> =>
  once(sql`SELECT reply, screen FROM parley.turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting'
    UNION ALL
    SELECT reply, screen FROM parley.turns INDEXED BY turns_running WHERE lane = ${lane} AND state = 'running'
    UNION ALL
    SELECT reply, screen FROM parley.turns INDEXED BY turns_ended WHERE ended_at >= ${since} AND lane = ${lane}`);

/**
 * Returns the number of waiting and running turns before this one in its lane. Excludes turns that write the same
 * reply, because this turn replaces them.
 */
export function* countAhead({ place }: TurnTable, { id, lane }: Pick<Turn, 'id' | 'lane'>): Steps<number> {
  const isBefore = sql`${place} < (SELECT place FROM own) AND reply <> (SELECT reply FROM own)`;
  const [row] =
    yield sql`WITH own AS (SELECT ${place} AS place, reply FROM parley.turns WHERE id = ${id}) SELECT
    (SELECT count(*) FROM parley.turns INDEXED BY turns_waiting
      WHERE lane = ${lane} AND state = 'waiting' AND ${isBefore}) +
    (SELECT count(*) FROM parley.turns INDEXED BY turns_running
      WHERE lane = ${lane} AND state = 'running' AND ${isBefore}) AS n`;
  return Number(row?.n);
}

/**
 * True if a turn is queued by the time at which its message was written, because messages of a thread may arrive out
 * of order (fault F25). Messages with equal times stay in order of arrival. A turn that has shown something or has
 * asked its agent is not moved back. Presses, retries and edits have no time of their own and go to the end.
 */
export const hasTime = ({ origin, message }: NewTurn): boolean =>
  origin.kind === 'message' && message.revision === 0;

/** Returns the condition that the turn's message is later than `sentAt`, and that the turn may still be moved back. */
const isLater = ({ kind, sentAt }: TurnTable, after: number): Sql =>
  sql`interruption IS NULL AND phase = 'new' AND screen IS NULL AND ${kind} = 'message' AND ${sentAt} > ${after}`;

/** Returns the lane's running turn if its message is later than `turn` and the running turn can still be put back. */
export function* claimedTooEarly(table: TurnTable, turn: NewTurn): Steps<Row | undefined> {
  if (!hasTime(turn)) return undefined;
  const [row] = yield sql`SELECT id, lane, interruption FROM parley.turns INDEXED BY turns_running
    WHERE lane = ${turn.lane} AND state = 'running' AND ${isLater(table, turn.message.sentAt)} FOR UPDATE`;
  return row;
}

/** Makes room for `turn` and returns its place; undefined if it belongs at the end of the lane. */
export function* placeByTime(table: TurnTable, turn: NewTurn): Steps<number | undefined> {
  if (!hasTime(turn)) return undefined;
  const { lane, message } = turn;
  // Waiting messages are in order, so the last one usually shows that a new message belongs at the end.
  const [last] = yield sql`SELECT CASE WHEN interruption IS NULL AND phase = 'new' AND screen IS NULL
      AND ${table.kind} = 'message' AND ${table.sentAt} <= ${message.sentAt} THEN 1 END AS is_before
    FROM parley.turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting'
    ORDER BY ${table.place} DESC LIMIT 1`;
  if (last === undefined || last.is_before === 1) return undefined;
  const waiting = yield sql`SELECT id, ${table.place} AS place,
      CASE WHEN ${isLater(table, message.sentAt)} THEN 1 END AS is_later
    FROM parley.turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting'
      AND interruption IS NULL AND phase = 'new' AND screen IS NULL ORDER BY ${table.place}`;
  const first = waiting.findIndex((row) => row.is_later === 1);
  if (first < 0) return undefined;
  const later = waiting.slice(first);
  yield* shift(table, later);
  return later.map(placeOf)[0];
}

/** Moves each turn to the place of the next one, and the last one to the end of the lane. */
export function* shift(table: TurnTable, rows: readonly Row[]): Steps<void> {
  for (const [nth, row] of [...rows.entries()].reverse()) yield* moveTo(table, row, rows[nth + 1]);
}

/** Moves a turn to the place of another one, or to the end. The caller promotes the lane's first turn afterwards. */
function* moveTo({ place, nextPlace }: TurnTable, row: Row, to: Row | undefined): Steps<void> {
  const target = to === undefined ? nextPlace : sql`${placeOf(to)}`;
  yield sql`UPDATE parley.turns SET ready = 0, ${place} = ${target} WHERE id = ${idOf(row)}`;
}

/** Moves a waiting turn before all other waiting turns of its lane, which keep their order. */
export function* moveToFront(table: TurnTable, row: Row): Steps<void> {
  const { place } = table;
  const rows = yield sql`SELECT id, ${place} AS place FROM parley.turns INDEXED BY turns_waiting
    WHERE lane = ${textOf(row.lane)} AND state = 'waiting' AND interruption IS NULL AND ready >= 0
      AND ${place} <= ${placeOf(row)} ORDER BY ${place}`;
  const [first] = rows;
  if (first === undefined || idOf(first) === idOf(row)) return;
  // The turn gives up its place first, because SQLite refuses two turns with one place.
  yield* shift(table, rows);
  yield* moveTo(table, row, first);
}

/**
 * Updates several turns.
 * @param rows values by name, and the `id` of each turn; at least one row
 * @param set returns the assignments. Receives a function that returns a value of the turn by its name
 */
export function updateEach(
  rows: readonly Readonly<Record<string, Value>>[],
  set: (value: (name: string) => Sql) => Sql,
): Sql {
  const [first = {}, ...others] = rows;
  // A list of one row would take SQLite twice as long.
  if (others.length === 0)
    return sql`UPDATE parley.turns SET ${set((name) => sql`${first[name] ?? null}`)} WHERE id = ${first.id ?? null}`;
  return sql`WITH given (${sql([Object.keys(first).join(', ')])}) AS (VALUES ${rowsOf(rows.map(Object.values))})
    UPDATE parley.turns SET ${set((name) => sql([`given.${name}`]))} FROM given WHERE turns.id = given.id`;
}
