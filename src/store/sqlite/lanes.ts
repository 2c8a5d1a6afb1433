import type { SQLTagStore } from 'node:sqlite';
import type { LaneKey } from '../../core/ids.ts';
import type { NewTurn, TurnCounts } from '../../core/stores/inbox.ts';
import type { Held } from '../store.ts';
import { countsOf, type Row, seqOf } from '../turn-rows.ts';

/**
 * Marks the lane's next turn as claimable if no turn of the lane runs. Must be called after every change of a
 * lane except a claim.
 */
export function promote(sql: SQLTagStore, lane: string): void {
  sql.run`UPDATE turns SET ready = 1 WHERE ready = 0 AND seq = (
      SELECT seq FROM turns INDEXED BY turns_waiting
      WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL ORDER BY seq LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM turns INDEXED BY turns_running WHERE lane = ${lane} AND state = 'running')`;
}

/** Makes the lane's next turn unclaimable, because an interrupted turn goes first. */
export function hold(sql: SQLTagStore, lane: string): void {
  sql.run`UPDATE turns SET ready = 0 WHERE ready = 1 AND seq = (
    SELECT seq FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL ORDER BY seq LIMIT 1)`;
}

/**
 * Returns the running turn of a lane, or else its oldest waiting turn. Of several running turns, prefers one
 * that was not interrupted.
 */
export function currentOf(sql: SQLTagStore, lane: LaneKey): Row | undefined {
  return runningOf(sql, lane) ?? nextOf(sql, lane);
}

const runningOf = (sql: SQLTagStore, lane: LaneKey): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_running WHERE lane = ${lane} AND state = 'running'
    ORDER BY interruption IS NOT NULL, seq LIMIT 1`;

const nextOf = (sql: SQLTagStore, lane: LaneKey): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting' ORDER BY seq LIMIT 1`;

/** Returns the running turns of a tenant. A lane begins with its channel and tenant (`laneOf`). */
export function runningIn(sql: SQLTagStore, channel: string, tenant: string): readonly Row[] {
  const lane = `${JSON.stringify([channel, tenant]).slice(0, -1)},`;
  return sql.all`SELECT * FROM turns INDEXED BY turns_running
    WHERE state = 'running' AND lane >= ${lane} AND lane < ${`${lane}\u{10ffff}`} ORDER BY seq`;
}

export function countWaiting(sql: SQLTagStore, lane: LaneKey): number {
  const row = sql.get`SELECT count(*) AS n FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting'`;
  return Number(row?.n ?? 0);
}

export const screensIn = (sql: SQLTagStore, lane: LaneKey, since: number): readonly Row[] =>
  sql.all`SELECT reply, screen FROM turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting'
    UNION ALL SELECT reply, screen FROM turns INDEXED BY turns_running WHERE lane = ${lane} AND state = 'running'
    UNION ALL SELECT reply, screen FROM turns INDEXED BY turns_ended WHERE ended_at >= ${since} AND lane = ${lane}`;

/**
 * Returns the number of waiting and running turns before this one in its lane. Excludes turns that write the same
 * reply, because this turn replaces them.
 */
export function countAhead(sql: SQLTagStore, lane: string, seq: number): number {
  const row = sql.get`WITH own AS (SELECT reply FROM turns WHERE seq = ${seq}) SELECT
    (SELECT count(*) FROM turns INDEXED BY turns_waiting
      WHERE lane = ${lane} AND state = 'waiting' AND seq < ${seq} AND reply <> (SELECT reply FROM own)) +
    (SELECT count(*) FROM turns INDEXED BY turns_running
      WHERE lane = ${lane} AND state = 'running' AND seq < ${seq} AND reply <> (SELECT reply FROM own)) AS n`;
  return Number(row?.n ?? 0);
}

export function countAll(sql: SQLTagStore): TurnCounts {
  const row = sql.get`SELECT
    (SELECT count(*) FROM turns INDEXED BY turns_waiting WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM turns INDEXED BY turns_postponed WHERE ready < 0) AS postponed,
    (SELECT count(*) FROM turns INDEXED BY turns_running WHERE state = 'running') AS running`;
  return countsOf(row ?? {});
}

/**
 * Releases the turns of the given channels if an earlier start held them. Holds the waiting turns of all other
 * channels, because no adapter can show their answers. Must be called at the start, before any turn runs.
 */
export function serveChannels(sql: SQLTagStore, channels: readonly string[]): readonly Held[] {
  const served = JSON.stringify(channels);
  const held = sql.all`UPDATE turns INDEXED BY turns_waiting SET ready = 0, announced = 1
    WHERE state = 'waiting' AND CASE WHEN json_valid(message) THEN message ->> '$.thread.channel' END
      NOT IN (SELECT value FROM json_each(${served}))
    RETURNING message ->> '$.thread.channel' AS channel`;
  sql.run`UPDATE turns INDEXED BY turns_waiting SET ready = 2
    WHERE state = 'waiting' AND ready = 0 AND interruption IS NOT NULL
      AND CASE WHEN json_valid(message) THEN message ->> '$.thread.channel' END
        IN (SELECT value FROM json_each(${served}))`;
  const lanes = sql.all`SELECT DISTINCT lane FROM turns INDEXED BY turns_waiting
    WHERE state = 'waiting' AND CASE WHEN json_valid(message) THEN message ->> '$.thread.channel' END
      IN (SELECT value FROM json_each(${served}))`;
  for (const { lane } of lanes) promote(sql, String(lane));
  const byChannel = Map.groupBy(held, ({ channel }) => String(channel));
  return [...byChannel].map(([channel, turns]) => ({ channel, waiting: turns.length }));
}

/**
 * True if the turn is ordered by the time of its message. Messages of a thread may arrive out of order (fault
 * F25), so each message is queued by the channel's time; messages with equal times keep their order of
 * arrival. A turn is moved back only if it has neither shown nor asked anything. Presses, retries and edits
 * have no time of their own and go to the end.
 */
const hasTime = ({ origin, message }: NewTurn): boolean =>
  origin.kind === 'message' && message.revision === 0;

/** Returns the lane's running turn if its message is later than `turn` and the running turn can still be put back. */
export function claimedTooEarly(sql: SQLTagStore, turn: NewTurn): Row | undefined {
  if (!hasTime(turn)) return undefined;
  return sql.get`SELECT id, seq, lane, interruption FROM turns INDEXED BY turns_running
    WHERE lane = ${turn.lane} AND state = 'running' AND interruption IS NULL
      AND phase = 'new' AND screen IS NULL
      AND json_valid(origin) AND origin ->> '$.kind' = 'message'
      AND json_valid(message) AND message ->> '$.sentAt' > ${turn.message.sentAt}`;
}

/** Makes room for `turn` and returns its `seq`; undefined if it belongs at the end of the lane. */
export function placeByTime(sql: SQLTagStore, turn: NewTurn): number | undefined {
  if (!hasTime(turn)) return undefined;
  const later = laterOnes(sql, turn.lane, turn.message.sentAt).map(seqOf);
  const [place] = later;
  for (const [nth, seq] of [...later.entries()].reverse()) moveTo(sql, seq, later[nth + 1]);
  return place;
}

/** Returns the first waiting message of the lane that is later than `sentAt`, and everything behind it. */
function laterOnes(sql: SQLTagStore, lane: string, sentAt: number): readonly Row[] {
  if (isLast(sql, lane, sentAt)) return [];
  const waiting: readonly Row[] = sql.all`SELECT seq, CASE WHEN json_valid(origin) THEN origin ->> '$.kind' END AS kind,
      CASE WHEN json_valid(message) THEN message ->> '$.sentAt' END AS sent_at
    FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL
      AND phase = 'new' AND screen IS NULL ORDER BY seq`;
  const first = waiting.findIndex((row) => row.kind === 'message' && Number(row.sent_at) > sentAt);
  return first < 0 ? [] : waiting.slice(first);
}

/**
 * True if the last waiting message is not later than `sentAt`. Because waiting messages are in order, the last one
 * usually shows that a new message belongs at the end.
 */
function isLast(sql: SQLTagStore, lane: string, sentAt: number): boolean {
  const last = sql.get`SELECT json_valid(origin) AND json_valid(message) AND origin ->> '$.kind' = 'message'
      AND interruption IS NULL AND phase = 'new' AND screen IS NULL
      AND message ->> '$.sentAt' <= ${sentAt} AS before
    FROM turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting' ORDER BY seq DESC LIMIT 1`;
  return last?.before === 1;
}

/** Moves a waiting turn before all other waiting turns of its lane, which keep their order. */
export function moveToFront(sql: SQLTagStore, lane: string, seq: number): void {
  const rows: readonly Row[] = sql.all`SELECT seq FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL AND ready >= 0 AND seq <= ${seq} ORDER BY seq`;
  const places = rows.map(seqOf);
  const [first] = places;
  if (first === undefined || first === seq) return;
  const end = Number(sql.get`SELECT max(seq) + 1 AS place FROM turns`?.place);
  moveTo(sql, seq, end);
  for (const [nth, place] of [...places.slice(0, -1).entries()].reverse())
    moveTo(sql, place, places[nth + 1]);
  moveTo(sql, end, first);
}

/** Moves a turn to a place, or to the end of the lane. The caller promotes the lane's first turn afterwards. */
function moveTo(sql: SQLTagStore, seq: number, place: number | undefined): void {
  if (place === undefined)
    sql.run`UPDATE turns SET ready = 0, seq = (SELECT max(seq) + 1 FROM turns) WHERE seq = ${seq}`;
  else sql.run`UPDATE turns SET ready = 0, seq = ${place} WHERE seq = ${seq}`;
}
