import type { LaneKey, TurnId } from '../../core/ids.ts';
import type { NewTurn, TurnCounts } from '../../core/stores/inbox.ts';
import type { Held } from '../store.ts';
import { countsOf, textOf } from '../turn-rows.ts';
import type { Database, Query, Row } from './database.ts';

export const lanesOf = (rows: readonly Row[]): readonly string[] => rows.map(({ lane }) => textOf(lane));

/**
 * Locks lanes, and messages by their keys, until the transaction ends. The order is fixed, so that two transactions
 * never wait for each other. Every change of a lane, except a claim, first locks the lane in a separate statement, so
 * that the next statement sees what the previous holder of the lock committed.
 */
export async function lockLanes(
  query: Query,
  lanes: readonly string[],
  messages: readonly string[] = [],
): Promise<void> {
  await query(
    `SELECT pg_advisory_xact_lock(key) FROM (
      SELECT DISTINCT hashtextextended(name, seed) AS key FROM (
        SELECT lane, 0 FROM unnest($1::text[]) AS lane UNION ALL SELECT message, 1 FROM unnest($2::text[]) AS message
      ) AS names (name, seed) ORDER BY key) AS keys`,
    [lanes, messages],
  );
}

/**
 * Marks the next turns of lanes without a running turn as claimable. Must be called after every change of a lane
 * except a claim.
 */
export async function promote(query: Query, lanes: readonly string[]): Promise<void> {
  await query(
    `UPDATE parley.turns SET ready = 1 WHERE ready = 0 AND state = 'waiting' AND id IN (
      SELECT DISTINCT ON (lane) id FROM parley.turns
      WHERE lane = ANY($1) AND state = 'waiting' AND interruption IS NULL ORDER BY lane, place)
    AND NOT EXISTS (SELECT 1 FROM parley.turns AS other WHERE other.lane = turns.lane AND other.state = 'running')`,
    [lanes],
  );
}

/** Makes the next turns of the lanes unclaimable, because interrupted turns go first. */
export async function hold(query: Query, lanes: readonly string[]): Promise<void> {
  await query(`UPDATE parley.turns SET ready = 0 WHERE lane = ANY($1) AND state = 'waiting' AND ready = 1`, [
    lanes,
  ]);
}

/**
 * Resolves with the running turn of a lane, or else its oldest waiting turn. Of several running turns, prefers one that
 * was not interrupted.
 */
export async function currentOf(query: Query, lane: LaneKey): Promise<Row | undefined> {
  const [row] = await query(
    `SELECT * FROM parley.turns WHERE lane = $1 AND state IN ('waiting', 'running')
    ORDER BY state = 'waiting', state = 'running' AND interruption IS NOT NULL, place LIMIT 1`,
    [lane],
  );
  return row;
}

/** Resolves with the running turns of a channel's tenant, in the order of the questions. */
export const runningIn = (query: Query, channel: string, tenant: string): Promise<readonly Row[]> =>
  query(
    `SELECT * FROM parley.turns WHERE channel = $1 AND tenant = $2 AND state = 'running' ORDER BY place`,
    [channel, tenant],
  );

export async function countWaiting(query: Query, lane: string): Promise<number> {
  const [row] = await query(`SELECT count(*) AS n FROM parley.turns WHERE lane = $1 AND state = 'waiting'`, [
    lane,
  ]);
  return Number(row?.n ?? 0);
}

export const screensIn = (query: Query, lane: LaneKey, since: number): Promise<readonly Row[]> =>
  query(
    `SELECT reply, screen FROM parley.turns
    WHERE lane = $1 AND screen IS NOT NULL AND (state IN ('waiting', 'running') OR ended_at >= $2)`,
    [lane, since],
  );

/**
 * Resolves with the number of waiting and running turns before this one in its lane. Excludes turns that write the same
 * reply, because this turn replaces them.
 */
export async function countAhead(query: Query, id: TurnId): Promise<number> {
  const [row] = await query(
    `SELECT count(*) AS n FROM parley.turns AS own JOIN parley.turns AS other ON other.lane = own.lane
      AND other.state IN ('waiting', 'running') AND other.place < own.place AND other.reply <> own.reply
    WHERE own.id = $1`,
    [id],
  );
  return Number(row?.n ?? 0);
}

export async function countAll(query: Query): Promise<TurnCounts> {
  const [row = {}] = await query(
    `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE ready < 0) AS postponed,
      count(*) FILTER (WHERE state = 'running') AS running
    FROM parley.turns WHERE state IN ('waiting', 'running')`,
  );
  return countsOf(row);
}

/**
 * True if a turn is queued by the time at which its message was written, because messages of a thread may arrive out
 * of order (fault F25). Messages with equal times stay in order of arrival. A turn that has shown something or has
 * asked its agent is not moved back. Presses, retries and edits have no time of their own and go to the end.
 */
export const hasTime = ({ origin, message }: NewTurn): boolean =>
  origin.kind === 'message' && message.revision === 0;

/**
 * Resolves with the lane's running turn if its message was written later than that of `turn` and the running turn can
 * still be put back to waiting.
 */
export async function takeBack(query: Query, turn: NewTurn): Promise<Row | undefined> {
  if (!hasTime(turn)) return undefined;
  const [row] = await query(
    `SELECT id, lane, interruption FROM parley.turns WHERE lane = $1 AND state = 'running'
      AND interruption IS NULL AND phase = 'new' AND screen IS NULL AND kind = 'message' AND sent_at > $2
    FOR UPDATE`,
    [turn.lane, turn.message.sentAt],
  );
  return row;
}

/** Resolves with the place of `turn` between two other turns; undefined if it belongs at the end of the lane. */
export async function placeByTime(query: Query, turn: NewTurn): Promise<number | undefined> {
  if (!hasTime(turn)) return undefined;
  const open = await query(
    `SELECT id, place, state = 'waiting' AND kind = 'message' AND sent_at > $2 AND interruption IS NULL AND phase = 'new'
      AND screen IS NULL AS is_later
    FROM parley.turns WHERE lane = $1 AND state IN ('waiting', 'running') ORDER BY place`,
    [turn.lane, turn.message.sentAt],
  );
  const at = open.findIndex((row) => row.is_later === true);
  const next = open[at]?.place;
  if (next === undefined) return undefined;
  await hold(query, [turn.lane]);
  const before = Number(open[at - 1]?.place ?? Number(next) - 1);
  const place = (before + Number(next)) / 2;
  return before < place && place < Number(next) ? place : moveBack(query, open.slice(at));
}

/**
 * Moves turns to the end of their lane, in order, when no number is left for a place before them. Resolves with a
 * place before the moved turns.
 */
async function moveBack(query: Query, later: readonly Row[]): Promise<number> {
  const [row] = await query("SELECT nextval('parley.places') AS place");
  for (const { id } of later) {
    await query("UPDATE parley.turns SET place = nextval('parley.places') WHERE id = $1", [textOf(id)]);
  }
  return Number(row?.place);
}

/** Maximum number of lanes that one transaction changes. */
const LANES_AT_ONCE = 500;

/**
 * Releases the turns of the given channels if an earlier start held them. Holds the waiting turns of all other
 * channels, because no adapter can show their answers.
 */
export async function serveChannels(
  database: Database,
  channels: readonly string[],
): Promise<readonly Held[]> {
  const held = await database.query(
    `UPDATE parley.turns SET ready = 0, announced = true WHERE state = 'waiting' AND channel <> ALL($1)
    RETURNING channel`,
    [channels],
  );
  await database.query(
    `UPDATE parley.turns SET ready = 2
    WHERE state = 'waiting' AND ready = 0 AND interruption IS NOT NULL AND channel = ANY($1)`,
    [channels],
  );
  const stopped = await database.query(
    `SELECT lane FROM parley.turns WHERE state IN ('waiting', 'running') AND channel = ANY($1)
    GROUP BY lane HAVING bool_and(state = 'waiting' AND ready = 0)`,
    [channels],
  );
  const lanes = stopped.map((row) => textOf(row.lane));
  for (let at = 0; at < lanes.length; at += LANES_AT_ONCE) {
    const some = lanes.slice(at, at + LANES_AT_ONCE);
    await database.transaction(async (query) => {
      await lockLanes(query, some);
      await promote(query, some);
    });
  }
  const byChannel = Map.groupBy(held, ({ channel }) => textOf(channel));
  return [...byChannel].map(([channel, turns]) => ({ channel, waiting: turns.length }));
}
