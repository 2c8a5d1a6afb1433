/** Statements for postponed turns: questions that wait for a platform that is down. */

import type { SQLTagStore } from 'node:sqlite';
import type { AgentName } from '../../core/ids.ts';
import type { Claim, Postponement } from '../../core/stores/inbox.ts';
import { textOf } from '../turn-rows.ts';
import { promote } from './lanes.ts';
import { releaseTurn } from './turn-table.ts';

/** Maximum number of turns that one transaction expires, so that the event loop is not blocked. */
const EXPIRED_AT_ONCE = 500;

export function postponeTurn(
  sql: SQLTagStore,
  claim: Claim,
  { agent, asked }: Postponement,
  now: number,
): 'postponed' | 'lost' {
  if (releaseTurn(sql, claim, now) === 'lost') return 'lost';
  sql.run`UPDATE turns SET ready = iif(interruption IS NULL, -1, ready), announced = 1, agent = ${agent},
      postponed = postponed + 1, unasked = unasked - (phase = 'new'),
      resume_order = iif(${asked ? 1 : 0}, ${now}, coalesce(resume_order, kept_at))
    WHERE id = ${claim.turn.id} AND state = 'waiting'`;
  return 'postponed';
}

export function resumeTurns(sql: SQLTagStore, limit: number, except: readonly AgentName[]): number {
  const rows = sql.all`UPDATE turns SET ready = 0 WHERE seq IN (
      SELECT seq FROM turns INDEXED BY turns_postponed
      WHERE ready < 0 AND agent NOT IN (SELECT value FROM json_each(${JSON.stringify(except)}))
      ORDER BY resume_order, seq LIMIT ${limit})
    RETURNING lane`;
  for (const { lane } of rows) promote(sql, textOf(lane));
  return rows.length;
}

export function expirePostponed(sql: SQLTagStore, before: number, except: readonly AgentName[]): number {
  const rows = sql.all`UPDATE turns SET ready = 2, interruption = '{"kind":"expired"}' WHERE seq IN (
      SELECT seq FROM turns INDEXED BY turns_postponed
      WHERE ready < 0 AND kept_at < ${before}
        AND agent NOT IN (SELECT value FROM json_each(${JSON.stringify(except)}))
      LIMIT ${EXPIRED_AT_ONCE})
    RETURNING lane`;
  for (const { lane } of rows) promote(sql, textOf(lane));
  return rows.length;
}
