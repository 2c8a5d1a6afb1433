import { DatabaseSync } from 'node:sqlite';
import type { Feedback, FeedbackStore } from '../../core/stores/feedback.ts';
import { mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import { PRUNED_RECORDS } from '../audit-rows.ts';
import { feedbackOf } from '../turn-rows.ts';
import type { Commits } from './commits.ts';

/** People's ratings of answers: one row for each person and version, without the text of the question or the answer. */
export function createFeedback(database: DatabaseSync, commits: Commits): FeedbackStore {
  const sql = database.createTagStore();
  return {
    async give(feedback) {
      const { turn, person, verdict, note = null, at } = feedback;
      await commits.write(() => {
        if (verdict === 'none')
          return sql.run`DELETE FROM feedback WHERE turn = ${turn} AND person = ${person}`;
        const { reply, channel, tenant, room, agent = null } = feedback;
        return sql.run`INSERT INTO feedback (turn, person, verdict, note, at, reply, channel, tenant, room, agent)
          VALUES (${turn}, ${person}, ${verdict}, ${note}, ${at}, ${reply}, ${channel}, ${tenant}, ${room}, ${agent})
          ON CONFLICT DO UPDATE SET at = excluded.at,
            note = coalesce(excluded.note, iif(verdict = excluded.verdict, note, NULL)), verdict = excluded.verdict`;
      });
    },
    all: () => orUnavailable(() => database.prepare(ALL).all().map(feedbackOf)),
    async prune(before) {
      const { changes } = await commits.write(
        () => sql.run`DELETE FROM feedback WHERE (turn, person) IN (
          SELECT turn, person FROM feedback WHERE at < ${before} LIMIT ${PRUNED_RECORDS})`,
      );
      return Number(changes);
    },
  };
}

const ALL = 'SELECT * FROM feedback ORDER BY at, turn, person';

/** Reads all ratings from the store's file, also while the bridge is running. Throws `store-unavailable`. */
export function readFeedback(file: string): readonly Feedback[] {
  try {
    mustExist(file);
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare(ALL).all().map(feedbackOf);
    } finally {
      database.close();
    }
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
