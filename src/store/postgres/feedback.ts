import type { Feedback, FeedbackStore } from '../../core/stores/feedback.ts';
import { PRUNED_RECORDS } from '../audit-rows.ts';
import { feedbackOf } from '../turn-rows.ts';
import type { Database, Query } from './database.ts';

/** People's ratings of answers: one row for each person and version, without the text of the question or the answer. */
export function createFeedback(database: Database): FeedbackStore {
  return {
    async give(feedback) {
      const { turn, person, verdict, note = null, at, reply, channel, tenant, room, agent = null } = feedback;
      if (verdict === 'none') {
        await database.query('DELETE FROM parley.feedback WHERE turn = $1 AND person = $2', [turn, person]);
        return;
      }
      await database.query(
        `INSERT INTO parley.feedback AS kept (turn, person, verdict, note, at, reply, channel, tenant, room, agent)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (turn, person) DO UPDATE SET at = excluded.at, verdict = excluded.verdict,
          note = coalesce(excluded.note, CASE WHEN kept.verdict = excluded.verdict THEN kept.note END)`,
        [turn, person, verdict, note, at, reply, channel, tenant, room, agent],
      );
    },
    all: () => readAllFeedback(database.query),
    async prune(before) {
      const dropped = await database.query(
        `DELETE FROM parley.feedback WHERE (turn, person) IN (
          SELECT turn, person FROM parley.feedback WHERE at < $1 LIMIT ${PRUNED_RECORDS}) RETURNING 1`,
        [before],
      );
      return dropped.length;
    },
  };
}

export async function readAllFeedback(query: Query): Promise<readonly Feedback[]> {
  return (await query('SELECT * FROM parley.feedback ORDER BY at, turn, person')).map(feedbackOf);
}
