/**
 * The stored list of questions with a waiting sign, such as a reaction. An entry is stored before its sign is posted,
 * so that a later process can remove the sign. The list also contains messages that must be deleted later.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import { turnId } from '../core/ids.ts';
import { list } from './json.ts';

/**
 * Milliseconds for which an entry is kept; longer than any question waits. A sign that could not be removed by then
 * stays in the channel.
 */
export const KEPT_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
/**
 * Maximum number of entries of all workspaces. Each entry has about 150 bytes, and all entries are stored as one value.
 */
const MAX_ENTRIES = 200;

const stored = z.object({
  tenant: z.string().min(1),
  room: z.string().min(1),
  /**
   * Id of a message, unique in the room: if `notBefore` is set, of the message that must be deleted later; otherwise,
   * of the question's message.
   */
  on: z.string().min(1),
  /** The turn that waits. */
  turn: z.string().min(1).transform(turnId),
  putAt: z.int().min(0),
  /** Id of the sign, if the sign is a message and its id is known. */
  id: z.string().min(1).exactOptional(),
  /** Key of the thread in which to search for the sign. Set if the sign's id is unknown. */
  thread: z.string().min(1).exactOptional(),
  /** Set for a message that must be deleted later: the earliest time at which the channel can delete it. */
  notBefore: z.int().min(0).exactOptional(),
});

export type WaitingSign = Readonly<z.output<typeof stored>>;

type Place = Pick<WaitingSign, 'tenant' | 'room' | 'on'>;
type Change = Pick<WaitingSign, 'turn'> | Required<Pick<WaitingSign, 'id'>>;

export type SignList = Awaited<ReturnType<typeof openSigns>>;

export interface SignListDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock' | 'log'>;
  /** Key under which the list is stored. */
  readonly key: string;
  /** Maximum number of signs that can be removed per minute in one tenant. */
  readonly perMinute: number;
}

/** Opens the stored list. Drops entries that cannot be read, so that the bridge always starts. */
export async function openSigns({ host, key, perMinute }: SignListDeps) {
  const { state, clock, log } = host;
  /** Entries of this process. Kept in memory, so that signs can be removed even if the store is down. */
  const own = new Map<string, WaitingSign>();
  /** Entries of other processes, as of the last read of the list. */
  let foreign = new Map<string, WaitingSign>();
  const refresh = async () => {
    const signs = decode(await state.get(key));
    foreign = new Map(signs.map((sign) => [placeOf(sign), sign]));
  };
  await refresh().catch((err: unknown) =>
    log.warn({ err }, '"waiting" notices of an earlier process may remain'),
  );
  const all = () => [...new Map([...foreign, ...own]).values()];
  const store = (next: (signs: readonly WaitingSign[]) => readonly WaitingSign[] | undefined) =>
    state.change(key, (value) => next(decode(value)), KEPT_MS, 'several');
  /** The removals of the last minute, oldest first. */
  const removed: { readonly tenant: string; readonly at: number }[] = [];
  const isFull = (signs: readonly WaitingSign[], tenant: string): boolean => {
    while (removed[0] !== undefined && removed[0].at + MINUTE_MS <= clock.now()) removed.shift();
    const ofTenant = [...signs, ...removed].filter((each) => each.tenant === tenant);
    return signs.length >= MAX_ENTRIES || ofTenant.length >= perMinute;
  };
  return {
    all,
    /** Reads the list again, because other processes may have changed it. */
    refresh,
    at: (place: Place) => own.get(placeOf(place)) ?? foreign.get(placeOf(place)),
    /** True if the sign was posted by another process that shares the store. */
    isForeign: (place: Place) => !own.has(placeOf(place)),
    /**
     * Resolves with `added` once the entry is on disk, and with `full` if the list is full. If another process has
     * stored an entry for the same message, gives that entry to the new turn and resolves with `reused`, because only
     * the stored id of the sign allows removing it. Rejects with `store-unavailable` without adding the entry.
     */
    async add(sign: WaitingSign): Promise<'added' | 'reused' | 'full'> {
      if (isFull(all(), sign.tenant)) return 'full';
      const place = placeOf(sign);
      own.set(place, sign);
      let known: WaitingSign | undefined;
      const added = await store((signs) => {
        known = find(signs, sign);
        const others = without(signs, sign);
        return isFull(others, sign.tenant) ? undefined : [...others, { ...sign, ...known, turn: sign.turn }];
      }).catch((thrown: unknown) => {
        own.delete(place);
        throw thrown;
      });
      if (added && known === undefined) return 'added';
      own.delete(place);
      if (!added || known === undefined) return 'full';
      foreign.set(place, { ...known, turn: sign.turn });
      return 'reused';
    },
    /** Stores the sign's id in an entry, or gives the entry to another turn. */
    async update(place: Place, change: Change) {
      const key = placeOf(place);
      const before = own.get(key) ?? foreign.get(key);
      if (before === undefined) return;
      (own.has(key) ? own : foreign).set(key, { ...before, ...change });
      await store((signs) => [...without(signs, place), { ...before, ...find(signs, place), ...change }]);
    },
    async remove(sign: WaitingSign) {
      const known = own.delete(placeOf(sign));
      if (!foreign.delete(placeOf(sign)) && !known) return;
      removed.push({ tenant: sign.tenant, at: clock.now() });
      // Another process may have posted a new sign meanwhile.
      await store((signs) => (find(signs, sign)?.putAt === sign.putAt ? without(signs, sign) : undefined));
    },
  };
}

const without = (signs: readonly WaitingSign[], place: Place): readonly WaitingSign[] =>
  signs.filter((sign) => placeOf(sign) !== placeOf(place));

const find = (signs: readonly WaitingSign[], place: Place): WaitingSign | undefined =>
  signs.find((sign) => placeOf(sign) === placeOf(place));

export const placeOf = ({ tenant, room, on }: Place): string => `${tenant} ${room} ${on}`;

const decode = (value: unknown): readonly WaitingSign[] =>
  list(value).flatMap((each) => stored.safeParse(each).data ?? []);
