import type { DatabaseSync } from 'node:sqlite';
import type { Commits } from './commits.ts';
import { textOf } from './turn-rows.ts';

interface ForgetDeps {
  readonly database: DatabaseSync;
  readonly commits: Commits;
}

/** Ids of turns as they stand in keys. */
const TURN_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** What is forgotten: a channel's tenant, or one room of it. */
interface Place {
  readonly channel: string;
  readonly tenant: string;
  readonly room?: string;
}

/**
 * Deletes everything that the file holds of a place: turns with their texts and screens, sessions, choices, receipts,
 * versions, feedback, and what its adapter keeps. A turn that runs finds that it is lost. Resolves with the number of
 * turns.
 */
export function createForget({ database, commits }: ForgetDeps) {
  return (place: Place): Promise<number> => commits.write(() => forget(database, place));
}

function forget(database: DatabaseSync, place: Place): number {
  const sql = database.createTagStore();
  const { channel, tenant, room } = place;
  const outer = room === undefined ? [channel, tenant] : [channel, tenant, room];
  // How every key of a thread begins, because a thread's key is the JSON of channel, tenant, room and its own key.
  const start = `${JSON.stringify(outer).slice(0, -1)},`;
  const turns = sql.all`SELECT id, seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  const ids = new Set(turns.map((row) => textOf(row.id)));
  sql.run`DELETE FROM answers WHERE turn IN (
    SELECT seq FROM turns WHERE substr(lane, 1, length(${start})) = ${start})`;
  sql.run`DELETE FROM turns WHERE substr(lane, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM withdrawn WHERE substr(message_key, 1, length(${start})) = ${start}`;
  sql.run`DELETE FROM feedback WHERE channel = ${channel} AND tenant = ${tenant}
    AND (${room ?? null} IS NULL OR room = ${room ?? null})`;
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

/** By the thread in the key, by its turn, or, in what the adapter keeps, by tenant and room as words of the key. */
function concerns(
  { namespace, key }: { namespace: string; key: string },
  { channel, tenant, room, start, ids }: Concerned,
): boolean {
  if (key.includes(start) || ids.has(TURN_ID.exec(key)?.[0] ?? '')) return true;
  const own = namespace === `adapter ${channel}` || namespace === `secrets ${channel}`;
  const names = (word: string) => key.split(' ').includes(word) || key.includes(JSON.stringify(word));
  return own && names(tenant) && (room === undefined || names(room));
}
