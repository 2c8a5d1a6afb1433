/**
 * Gives back turns that this replica claimed without knowing it. If PostgreSQL commits a claim but its response is
 * lost, the turn belongs to a live replica in which no worker runs it, so no other replica would ever take it over.
 */

import type { Clock } from '../../core/clock.ts';
import type { Claim } from '../../core/stores/inbox.ts';
import { idOf } from '../turn-rows.ts';
import type { Held } from './claims.ts';
import type { Database, Row } from './database.ts';
import { lanesOf, lockLanes } from './lanes.ts';
import type { Replica } from './replica.ts';
import { giveBack } from './turns.ts';

/**
 * Time for which a failed claim may still be committed, in milliseconds. PostgreSQL may continue a commit when it wakes
 * from a pause, long after this replica gave up waiting for the response.
 */
const DOUBT_MS = 60_000;

export type OwnClaims = ReturnType<typeof trackOwnClaims>;

interface OwnClaimsDeps {
  readonly database: Database;
  readonly replica: Pick<Replica, 'id' | 'time'>;
  readonly clock: Clock;
}

const OWNED = `SELECT id, attempt, lane, interruption, message FROM parley.turns WHERE owner = $1 AND state = 'running'`;

export function trackOwnClaims({ database, replica, clock }: OwnClaimsDeps) {
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
      const found = (await database.query(OWNED, [replica.id])).filter(isUnknown);
      if (found.length === 0) return 0;
      return database.transaction(async (query) => {
        await lockLanes(query, lanesOf(found));
        const rows = await query(`${OWNED} AND id = ANY($2) FOR UPDATE`, [replica.id, found.map(idOf)]);
        const unknown = rows.filter(isUnknown);
        await giveBack(query, unknown, replica.time.now());
        return unknown.length;
      });
    },
  };
}

const fenceOf = (id: string, attempt: number): string => `${id} ${attempt}`;
