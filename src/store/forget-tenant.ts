import type { DatabaseSync } from 'node:sqlite';
import type { Commits } from './commits.ts';
import { textOf } from './turn-rows.ts';

interface ForgetParts {
  readonly database: DatabaseSync;
  readonly commits: Commits;
}

/** Ids of turns as they stand in keys. */
const TURN_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/**
 * Deletes everything that the file holds of a channel's tenant: turns with their texts and screens, sessions, choices,
 * receipts, versions, feedback, and what its adapter keeps. A turn that runs finds that it is lost. Resolves with the
 * number of turns.
 */
export function createForgetTenant({ database, commits }: ForgetParts) {
  return (channel: string, tenant: string): Promise<number> =>
    commits.write(() => forget(database, { channel, tenant }));
}

interface Place {
  readonly channel: string;
  readonly tenant: string;
}

function forget(database: DatabaseSync, place: Place): number {
  const sql = database.createTagStore();
  const { channel, tenant } = place;
  // How every key of a thread begins, because a thread's key is the JSON of channel, tenant, room and its own key.
  const start = `${JSON.stringify([channel, tenant]).slice(0, -1)},`;
  const turns = sql.all`SELECT id, seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  const ids = new Set(turns.map((row) => textOf(row.id)));
  sql.run`DELETE FROM answers WHERE turn IN (
    SELECT seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start})`;
  sql.run`DELETE FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM withdrawn WHERE substr(message_key, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM feedback WHERE channel = ${channel} AND tenant = ${tenant}`;
  for (const row of sql.all`SELECT namespace, key FROM keyed`) {
    const [namespace, key] = [textOf(row.namespace), textOf(row.key)];
    if (!concerns({ namespace, key }, { ...place, start, ids })) continue;
    sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`;
  }
  return turns.length;
}

interface Concerned extends Place {
  readonly start: string;
  readonly ids: ReadonlySet<string>;
}

/** By the thread in the key, by its turn, or, in what the adapter keeps, by the tenant as a word of the key. */
function concerns(
  { namespace, key }: { namespace: string; key: string },
  { channel, tenant, start, ids }: Concerned,
): boolean {
  if (key.includes(start) || ids.has(TURN_ID.exec(key)?.[0] ?? '')) return true;
  const own = namespace === `adapter ${channel}` || namespace === `secrets ${channel}`;
  return own && (key.split(' ').includes(tenant) || key.includes(JSON.stringify(tenant)));
}
