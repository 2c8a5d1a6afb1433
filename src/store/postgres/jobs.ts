/** Runs jobs that one replica does for all replicas. */

import type { Store } from '../store.ts';
import type { Database } from './database.ts';

/** First half of the advisory lock's key; the second is a hash of the job's name. */
const JOBS = 725_753_902;

/**
 * Returns `Store.once`. The lock belongs to a transaction that stays open while the job runs, so PostgreSQL releases
 * the lock if the replica ends. The end of a job is recorded in the same transaction, so a job that a crash
 * interrupted counts as not done.
 */
export function createJobs(database: Database): Store['once'] {
  return async (job, restMs, work) => {
    const failed = await database.transaction(async (query) => {
      // Otherwise PostgreSQL would end the transaction, because no statement is in progress while the job runs.
      await query('SET LOCAL idle_in_transaction_session_timeout = 0');
      const [found] = await query(
        `SELECT pg_try_advisory_xact_lock(${JOBS}, hashtext($1)) AS held, EXISTS (
          SELECT 1 FROM parley.jobs WHERE name = $1
            AND ended_at > clock_timestamp() - $2 * interval '1 millisecond') AS done`,
        [job, restMs],
      );
      if (found?.held !== true || found.done === true) return undefined;
      try {
        await work();
      } catch (thrown) {
        // The error is returned instead of thrown, so that the transaction ends normally and releases the lock at once.
        return { thrown };
      }
      await query(
        `INSERT INTO parley.jobs (name, ended_at) VALUES ($1, clock_timestamp())
        ON CONFLICT (name) DO UPDATE SET ended_at = excluded.ended_at`,
        [job],
      );
      return undefined;
    });
    if (failed !== undefined) throw failed.thrown;
  };
}
