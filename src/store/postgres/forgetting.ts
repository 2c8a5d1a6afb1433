import { concerns, type Place, startOf } from '../forgetting.ts';
import { idOf, textOf } from '../turn-rows.ts';
import type { Query } from './database.ts';

/**
 * Deletes all data of a channel's tenant, or of one room in it, inside the caller's transaction. Resolves with the
 * number of deleted turns.
 */
export async function forget(query: Query, place: Place): Promise<number> {
  const { channel, tenant, room = null } = place;
  const start = startOf(place);
  const turns = await query('DELETE FROM parley.turns WHERE starts_with(lane, $1) RETURNING id', [start]);
  await query('DELETE FROM parley.withdrawn WHERE starts_with(message_key, $1)', [start]);
  await query(
    'DELETE FROM parley.feedback WHERE channel = $1 AND tenant = $2 AND ($3::text IS NULL OR room = $3)',
    [channel, tenant, room],
  );
  const ids = new Set<string>(turns.map(idOf));
  const stored = (await query('SELECT namespace, key FROM parley.keyed')).map(({ namespace, key }) => ({
    namespace: textOf(namespace),
    key: textOf(key),
  }));
  const gone = stored.filter((each) => concerns(each, { ...place, start, ids }));
  await query(
    `DELETE FROM parley.keyed USING unnest($1::text[], $2::text[]) AS gone (namespace, key)
    WHERE keyed.namespace = gone.namespace AND keyed.key = gone.key`,
    [gone.map(({ namespace }) => namespace), gone.map(({ key }) => key)],
  );
  return turns.length;
}
