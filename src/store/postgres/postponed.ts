/** Statements for postponed turns: questions that wait for a platform that is down. */

import type { AgentName } from '../../core/ids.ts';
import type { Postponement } from '../../core/stores/inbox.ts';
import { idOf, textOf } from '../turn-rows.ts';
import { type Held, releaseTurns } from './claims.ts';
import type { Query } from './database.ts';
import { lockLanes, promote } from './lanes.ts';

/** Maximum number of turns that one transaction expires. */
const EXPIRED_AT_ONCE = 500;

export interface Postponing {
  readonly claim: Held;
  readonly why: Postponement;
}

export async function postponeTurns(
  query: Query,
  calls: readonly Postponing[],
  now: number,
): Promise<readonly ('postponed' | 'lost')[]> {
  const claims = calls.map(({ claim }) => claim);
  const released = await releaseTurns(query, claims, now);
  const done = calls.filter((_, nth) => released[nth] === 'released');
  if (done.length > 0)
    await query(
      `UPDATE parley.turns SET ready = CASE WHEN interruption IS NULL THEN -1 ELSE ready END, announced = true,
        agent = why.agent, postponed = postponed + 1, unasked = unasked - (phase = 'new')::integer,
        resume_order = CASE WHEN why.asked THEN $4 ELSE coalesce(resume_order, kept_at) END
      FROM unnest($1::text[], $2::text[], $3::boolean[]) AS why (id, agent, asked)
      WHERE turns.id = why.id AND turns.state = 'waiting'`,
      [
        done.map(({ claim }) => claim.turn.id),
        done.map(({ why }) => why.agent),
        done.map(({ why }) => why.asked),
        now,
      ],
    );
  return released.map((result) => (result === 'released' ? 'postponed' : 'lost'));
}

/**
 * @param owner the replica whose tenants' turns are resumed
 */
export async function resumeTurns(
  query: Query,
  owner: string,
  limit: number,
  except: readonly AgentName[],
): Promise<number> {
  const found = await query(
    `SELECT turns.id, turns.lane FROM parley.turns JOIN parley.tenants USING (channel, tenant)
    WHERE turns.ready < 0 AND tenants.owner = $1 AND turns.agent <> ALL($2)
    ORDER BY turns.resume_order, turns.place LIMIT $3`,
    [owner, except, limit],
  );
  const lanes = found.map(({ lane }) => textOf(lane));
  await lockLanes(query, lanes);
  const resumed = await query(
    'UPDATE parley.turns SET ready = 0 WHERE id = ANY($1) AND ready < 0 RETURNING 1',
    [found.map(idOf)],
  );
  await promote(query, lanes);
  return resumed.length;
}

/** @param before time of the database's clock */
export async function expirePostponed(
  query: Query,
  before: number,
  except: readonly AgentName[],
): Promise<number> {
  const found = await query(
    `SELECT id, lane FROM parley.turns WHERE ready < 0 AND kept_at < $1 AND agent <> ALL($2)
    LIMIT ${EXPIRED_AT_ONCE}`,
    [before, except],
  );
  const lanes = found.map(({ lane }) => textOf(lane));
  await lockLanes(query, lanes);
  const expired = await query(
    `UPDATE parley.turns SET ready = 2, interruption = '{"kind":"expired"}' WHERE id = ANY($1) AND ready < 0
    RETURNING 1`,
    [found.map(idOf)],
  );
  await promote(query, lanes);
  return expired.length;
}
