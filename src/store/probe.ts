import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Commits } from './commits.ts';

/** Size of a long question, in bytes. A store that cannot hold that much counts as full. */
const PROBE_BYTES = 16 * 1024;
const NAMESPACE = 'probe';

/** Returns a probe that writes and deletes the size of a question. Rejects with `store-unavailable` if that fails. */
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
