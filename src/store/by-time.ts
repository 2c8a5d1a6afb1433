import type { SQLTagStore } from 'node:sqlite';
import type { NewTurn } from '../core/stores/inbox.ts';
import { type Row, seqOf } from './turn-rows.ts';

/**
 * Messages of a thread may arrive out of order (fault F25), so each is queued by the channel's time; messages with equal
 * times stay in order of arrival. Only turns that have shown nothing and asked nothing are moved back. Presses, retries
 * and edits have no time of their own and go to the end.
 */
const hasTime = ({ origin, message }: NewTurn): boolean =>
  origin.kind === 'message' && message.revision === 0;

/**
 * The lane's running turn if it was written later than `turn` and can still be put back. A turn is put back only on its
 * first claim, because repeated claims end a turn.
 */
export function claimedTooEarly(sql: SQLTagStore, turn: NewTurn): Row | undefined {
  if (!hasTime(turn)) return undefined;
  return sql.get`SELECT id, seq, lane, interruption FROM turns INDEXED BY turns_running
    WHERE lane = ${turn.lane} AND state = 'running' AND interruption IS NULL
      AND phase = 'new' AND screen IS NULL AND attempt = 1
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

/** The first waiting message of the lane that was written later than `sentAt`, and everything behind it. */
function laterOnes(sql: SQLTagStore, lane: string, sentAt: number): readonly Row[] {
  if (isLast(sql, lane, sentAt)) return [];
  const waiting: readonly Row[] = sql.all`SELECT seq, CASE WHEN json_valid(origin) THEN origin ->> '$.kind' END AS kind,
      CASE WHEN json_valid(message) THEN message ->> '$.sentAt' END AS sent_at
    FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND interruption IS NULL
      AND phase = 'new' AND screen IS NULL AND attempt <= 1 ORDER BY seq`;
  const first = waiting.findIndex((row) => row.kind === 'message' && Number(row.sent_at) > sentAt);
  return first < 0 ? [] : waiting.slice(first);
}

/** Waiting messages are in order, so usually one look at the last of them is enough. */
function isLast(sql: SQLTagStore, lane: string, sentAt: number): boolean {
  const last = sql.get`SELECT json_valid(origin) AND json_valid(message) AND origin ->> '$.kind' = 'message'
      AND interruption IS NULL AND phase = 'new' AND screen IS NULL AND attempt <= 1
      AND message ->> '$.sentAt' <= ${sentAt} AS before
    FROM turns INDEXED BY turns_waiting WHERE lane = ${lane} AND state = 'waiting' ORDER BY seq DESC LIMIT 1`;
  return last?.before === 1;
}

/** The caller promotes the lane's first turn afterwards. */
function moveTo(sql: SQLTagStore, seq: number, place: number | undefined): void {
  if (place === undefined)
    sql.run`UPDATE turns SET ready = 0, seq = (SELECT max(seq) + 1 FROM turns) WHERE seq = ${seq}`;
  else sql.run`UPDATE turns SET ready = 0, seq = ${place} WHERE seq = ${seq}`;
}
