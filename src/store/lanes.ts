import type { SQLTagStore } from 'node:sqlite';
import type { LaneKey } from '../core/ids.ts';
import type { Row } from './turn-rows.ts';

/** Marks the lane's next turn as claimable if none of the lane runs. Due after every change of a lane but a claim. */
export function promote(sql: SQLTagStore, lane: string): void {
  sql.run`UPDATE turns SET ready = 1 WHERE ready = 0 AND seq = (
      SELECT seq FROM turns INDEXED BY turns_waiting
      WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL ORDER BY seq LIMIT 1)
    AND NOT EXISTS (SELECT 1 FROM turns INDEXED BY turns_running WHERE lane = ${lane} AND state = 'running')`;
}

/** The lane's next turn waits again, because another that was interrupted overtakes it. */
export function hold(sql: SQLTagStore, lane: string): void {
  sql.run`UPDATE turns SET ready = 0 WHERE ready = 1 AND seq = (
    SELECT seq FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL ORDER BY seq LIMIT 1)`;
}

/** The running turn of a lane, before those that only show that they were stopped; else its oldest waiting one. */
export function currentOf(sql: SQLTagStore, lane: LaneKey): Row | undefined {
  return runningOf(sql, lane) ?? nextOf(sql, lane);
}

const runningOf = (sql: SQLTagStore, lane: LaneKey): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_running WHERE lane = ${lane} AND state = 'running'
    ORDER BY interruption IS NOT NULL, seq LIMIT 1`;

const nextOf = (sql: SQLTagStore, lane: LaneKey): Row | undefined =>
  sql.get`SELECT * FROM turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting' ORDER BY seq LIMIT 1`;

export function countWaiting(sql: SQLTagStore, lane: LaneKey): number {
  const row = sql.get`SELECT count(*) AS n FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting'`;
  return Number(row?.n ?? 0);
}

/** Turns of its lane that are waiting or running before this one; those of its own reply give way to it. */
export function countAhead(sql: SQLTagStore, lane: string, seq: number): number {
  const row = sql.get`WITH own AS (SELECT reply FROM turns WHERE seq = ${seq}) SELECT
    (SELECT count(*) FROM turns INDEXED BY turns_waiting
      WHERE lane = ${lane} AND state = 'waiting' AND seq < ${seq} AND reply <> (SELECT reply FROM own)) +
    (SELECT count(*) FROM turns INDEXED BY turns_running
      WHERE lane = ${lane} AND state = 'running' AND seq < ${seq} AND reply <> (SELECT reply FROM own)) AS n`;
  return Number(row?.n ?? 0);
}

export function countAll(sql: SQLTagStore): { readonly waiting: number; readonly running: number } {
  const row = sql.get`SELECT
    (SELECT count(*) FROM turns INDEXED BY turns_waiting WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM turns INDEXED BY turns_running WHERE state = 'running') AS running`;
  return { waiting: Number(row?.waiting ?? 0), running: Number(row?.running ?? 0) };
}

/** A channel that does not run, and how many of its turns wait for it. */
export interface Held {
  readonly channel: string;
  readonly waiting: number;
}

/**
 * Holds the waiting turns of all other channels, which have no adapter to show an answer or a sign of waiting, and lets go those that an
 * earlier start held. Only at the start, while no turn runs.
 */
export function serveChannels(sql: SQLTagStore, channels: readonly string[]): readonly Held[] {
  const served = JSON.stringify(channels);
  const held = sql.all`UPDATE turns SET ready = 0, announced = 1 WHERE state = 'waiting' AND json_valid(message)
      AND message ->> '$.thread.channel' NOT IN (SELECT value FROM json_each(${served}))
    RETURNING message ->> '$.thread.channel' AS channel`;
  sql.run`UPDATE turns SET ready = 2 WHERE state = 'waiting' AND ready = 0 AND interruption IS NOT NULL
    AND json_valid(message) AND message ->> '$.thread.channel' IN (SELECT value FROM json_each(${served}))`;
  const lanes = sql.all`SELECT DISTINCT lane FROM turns INDEXED BY turns_waiting WHERE state = 'waiting'
    AND json_valid(message) AND message ->> '$.thread.channel' IN (SELECT value FROM json_each(${served}))`;
  for (const { lane } of lanes) promote(sql, String(lane));
  const byChannel = Map.groupBy(held, ({ channel }) => String(channel));
  return [...byChannel].map(([channel, turns]) => ({ channel, waiting: turns.length }));
}
