import type { FeedbackStore } from '../core/stores/feedback.ts';
import { PRUNED_RECORDS } from './audit-rows.ts';
import type { Engine } from './engine.ts';
import { once, type Sql, sql } from './sql.ts';
import { feedbackOf } from './turn-rows.ts';

/** People's ratings of answers: one row for each person and version, without the text of the question or the answer. */
export function createFeedback({ read, write }: Pick<Engine, 'read' | 'write'>): FeedbackStore {
  return {
    give: async (feedback) => void (await write(given(feedback))),
    all: async () =>
      (await read(once(sql`SELECT * FROM parley.feedback ORDER BY at, turn, person`))).map(feedbackOf),
    async prune(before) {
      const dropped = await write(
        sql`DELETE FROM parley.feedback WHERE (turn, person) IN (
          SELECT turn, person FROM parley.feedback WHERE at < ${before} LIMIT ${PRUNED_RECORDS}) RETURNING turn`,
      );
      return dropped.length;
    },
  };
}

function given(feedback: Parameters<FeedbackStore['give']>[0]): Sql {
  const { turn, person, verdict, note = null, at, reply, channel, tenant, room, agent = null } = feedback;
  if (verdict === 'none') return sql`DELETE FROM parley.feedback WHERE turn = ${turn} AND person = ${person}`;
  return sql`INSERT INTO parley.feedback AS known
      (turn, person, verdict, note, at, reply, channel, tenant, room, agent)
    VALUES (${turn}, ${person}, ${verdict}, ${note}, ${at}, ${reply}, ${channel}, ${tenant}, ${room}, ${agent})
    ON CONFLICT (turn, person) DO UPDATE SET at = excluded.at, verdict = excluded.verdict,
      note = coalesce(excluded.note, CASE WHEN known.verdict = excluded.verdict THEN known.note END)`;
}
