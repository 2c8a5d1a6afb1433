/** Tells which keys belong to a channel's tenant or room, so that both engines delete the same data. */

/** A channel's tenant, or one room of it. */
export interface Place {
  readonly channel: string;
  readonly tenant: string;
  readonly room?: string;
}

/**
 * Returns the text with which the keys of all threads in the place begin. A thread's key is the JSON array of its
 * channel, tenant, room and own key.
 */
export function startOf({ channel, tenant, room }: Place): string {
  const outer = room === undefined ? [channel, tenant] : [channel, tenant, room];
  return `${JSON.stringify(outer).slice(0, -1)},`;
}

interface Concerned extends Place {
  readonly start: string;
  /** Ids of the place's turns. */
  readonly ids: ReadonlySet<string>;
}

/** Matches the id of a turn in a key. */
const TURN_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/**
 * True if the key is the tenant itself, if it contains a thread or a turn of the place, or if it belongs to the state
 * of the channel's adapter and contains the tenant and the room as words.
 */
export function concerns(
  { namespace, key }: { readonly namespace: string; readonly key: string },
  { channel, tenant, room, start, ids }: Concerned,
): boolean {
  if (key.includes(start) || ids.has(TURN_ID.exec(key)?.[0] ?? '')) return true;
  if (room === undefined && key === JSON.stringify([channel, tenant])) return true;
  const own = namespace === `adapter ${channel}` || namespace === `secrets ${channel}`;
  const names = (word: string) => key.split(' ').includes(word) || key.includes(JSON.stringify(word));
  return own && names(tenant) && (room === undefined || names(room));
}
