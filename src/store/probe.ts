import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Commits } from './commits.ts';

/** Room that a long question takes, in bytes: a store that takes less than that is full. */
const PROBE_BYTES = 16 * 1024;
const NAMESPACE = 'probe';

/** Writes and deletes about as much as a question. The result rejects with `store-unavailable` when it is not taken. */
export function createProbe(database: DatabaseSync, commits: Commits): () => Promise<void> {
  const sql = database.createTagStore();
  return async () => {
    const value = randomBytes(PROBE_BYTES / 2).toString('hex');
    await commits.write(
      () => sql.run`INSERT INTO keyed (namespace, key, value, expires)
      VALUES (${NAMESPACE}, ${value.slice(0, 32)}, ${value}, 0)`,
    );
    await commits.write(() => sql.run`DELETE FROM keyed WHERE namespace = ${NAMESPACE}`);
  };
}
