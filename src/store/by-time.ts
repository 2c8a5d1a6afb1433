import type { SQLTagStore } from 'node:sqlite';
import type { NewTurn } from '../core/stores/inbox.ts';
import { type Row, seqOf } from './turn-rows.ts';

/**
 * Messages of a thread may come in another order than they were written in (fault F25). A new one takes its place by
 * time among those that wait and were never claimed; the one that is about to be claimed keeps its place.
 *
 * Makes room for it, and answers the place; nothing where it is the last anyway. A press, a retry and an edit have no
 * time of their own in the thread, and go to the end.
 */
export function placeByTime(sql: SQLTagStore, { lane, origin, message }: NewTurn): number | undefined {
  if (origin.kind !== 'message' || message.revision > 0) return undefined;
  const later = laterOnes(sql, lane, message.sentAt).map(seqOf);
  const [place] = later;
  for (const [nth, seq] of [...later.entries()].reverse()) moveTo(sql, seq, later[nth + 1]);
  return place;
}

/** Waiting messages of the lane that were written later, in their order; and what waits behind the first of them. */
function laterOnes(sql: SQLTagStore, lane: string, sentAt: number): readonly Row[] {
  const waiting: readonly Row[] = sql.all`SELECT seq, CASE WHEN json_valid(origin) THEN origin ->> '$.kind' END AS kind,
      CASE WHEN json_valid(message) THEN message ->> '$.sentAt' END AS sent_at
    FROM turns INDEXED BY turns_waiting
    WHERE lane = ${lane} AND state = 'waiting' AND ready = 0 AND attempt = 0 AND interruption IS NULL ORDER BY seq`;
  const first = waiting.findIndex((row) => row.kind === 'message' && Number(row.sent_at) > sentAt);
  return first < 0 ? [] : waiting.slice(first);
}

function moveTo(sql: SQLTagStore, seq: number, place: number | undefined): void {
  if (place === undefined)
    sql.run`UPDATE turns SET seq = (SELECT max(seq) + 1 FROM turns) WHERE seq = ${seq}`;
  else sql.run`UPDATE turns SET seq = ${place} WHERE seq = ${seq}`;
}
