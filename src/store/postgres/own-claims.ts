/**
 * Gives back turns that this replica claimed without knowing it. If PostgreSQL commits a claim but its response is
 * lost, the turn belongs to a live replica in which no worker runs it, so no other replica would ever take it over.
 */

import type { Clock } from '../../core/clock.ts';
import type { Claim } from '../../core/stores/inbox.ts';
import type { Engine } from '../engine.ts';
import { forEach, once, type Sql, type Steps, sql } from '../sql.ts';
import { idOf, type Row } from '../turn-rows.ts';
import { lanesOf } from '../turns/lanes.ts';
import type { Held } from '../turns/table.ts';
import { giveBack } from '../turns/turns.ts';
import type { Replica } from './replica.ts';

/**
 * Time for which a failed claim may still be committed, in milliseconds. PostgreSQL may continue a commit when it wakes
 * from a pause, long after this replica gave up waiting for the response.
 */
const DOUBT_MS = 60_000;

export type OwnClaims = ReturnType<typeof trackOwnClaims>;

const ownedBy = (id: string): Sql =>
  sql`SELECT id, attempt, lane, interruption, message FROM parley.turns WHERE owner = ${id} AND state = 'running'`;

export function trackOwnClaims(
  engine: Pick<Engine, 'read' | 'transaction'>,
  replica: Pick<Replica, 'id' | 'table'>,
  clock: Clock,
) {
  const known = new Set<string>();
  let doubtUntil = 0;
  const isUnknown = (row: Row): boolean => !known.has(fenceOf(idOf(row), Number(row.attempt)));
  return {
    /** Records claims whose turns this process runs. */
    add: (claims: readonly Claim[]) => {
      for (const { turn } of claims) known.add(fenceOf(turn.id, turn.attempt));
    },
    /** Records that this process no longer runs the turn. */
    remove: ({ turn }: Held) => void known.delete(fenceOf(turn.id, turn.attempt)),
    /** Records that a claim failed with an unknown outcome. */
    failed: () => {
      doubtUntil = clock.now() + DOUBT_MS;
    },
    /**
     * Puts turns that this replica owns, but does not run, back to waiting. Does so only for a while after a failed
     * claim. Must not run while this replica claims turns. Resolves with the number of these turns.
     */
    async giveBackUnknown() {
      if (clock.now() > doubtUntil) return 0;
      const { id, table } = replica;
      const found = (await engine.read(once(ownedBy(id)))).filter(isUnknown);
      if (found.length === 0) return 0;
      return engine.transaction(function* (): Steps<number> {
        yield* table.lock(lanesOf(found));
        const rows = yield* forEach(
          found.map(idOf),
          (list) => sql`${ownedBy(id)} AND id IN (${list}) FOR UPDATE`,
        );
        const unknown = rows.filter(isUnknown);
        yield* giveBack(table, unknown);
        return unknown.length;
      });
    },
  };
}

const fenceOf = (id: string, attempt: number): string => `${id} ${attempt}`;
