/**
 * The questions that have, or may have, a waiting sign. An entry is stored before its sign is posted, so that a later
 * process can remove it.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import { type TurnId, turnId } from '../core/ids.ts';
import { list } from './json.ts';

/**
 * Lifetime of an entry, in milliseconds; longer than any question waits. After that, a sign that could not be
 * removed is left in the channel.
 */
export const KEPT_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
/** Maximum number of entries over all workspaces, about 150 bytes each, stored as one value. */
const AT_ONCE = 200;

export interface WaitingSign {
  readonly tenant: string;
  readonly room: string;
  /** The id of the question's message in the room. */
  readonly on: string;
  /** The waiting turn. */
  readonly turn: TurnId;
  readonly putAt: number;
  /** Id of the sign once it is known, if the sign is a message. */
  readonly id?: string;
  /** Key of the sign's thread, set if a sign of unknown id must be searched for there. */
  readonly thread?: string;
}

type Place = Pick<WaitingSign, 'tenant' | 'room' | 'on'>;

export interface SignList {
  all(): readonly WaitingSign[];
  at(place: Place): WaitingSign | undefined;
  /** True if another process that shares the store posted the sign. */
  isForeign(place: Place): boolean;
  /**
   * Resolves with true once the entry is on disk, with false if the list is full. Rejects with `store-unavailable`
   * without adding it.
   */
  add(sign: WaitingSign): Promise<boolean>;
  /** Replaces the entry of another turn of the same message, or an incomplete entry. */
  replace(sign: WaitingSign): Promise<void>;
  remove(sign: WaitingSign): Promise<void>;
  /** Reads the entries of the other processes again. */
  refresh(): Promise<void>;
}

export interface SignListDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock' | 'log'>;
  /** Key under which the list is stored. */
  readonly key: string;
  /** Maximum signs of one tenant that can be removed in a minute. */
  readonly perMinute: number;
}

/** Opens the stored list. Unreadable entries are dropped, so that the bridge always starts. */
export async function openSigns({ host, key, perMinute }: SignListDeps): Promise<SignList> {
  const { state, clock, log } = host;
  /** Signs of this process: found also if the store is down. */
  const own = new Map<string, WaitingSign>();
  /** Signs of other processes, when the list was last read. */
  let foreign = new Map<string, WaitingSign>();
  const refresh = async () => {
    const signs = decode(await state.get(key));
    foreign = new Map(signs.map((sign) => [placeOf(sign), sign]));
  };
  await refresh().catch((err: unknown) =>
    log.warn({ err }, 'waiting notices of an earlier process may remain'),
  );
  const all = () => [...new Map([...foreign, ...own]).values()];
  const store = (next: (signs: readonly WaitingSign[]) => readonly WaitingSign[] | undefined) =>
    state.change(key, (value) => next(decode(value)), KEPT_MS);
  /** Removals in the last minute, oldest first. */
  const removed: { readonly tenant: string; readonly at: number }[] = [];
  const isFull = (signs: readonly WaitingSign[], tenant: string): boolean => {
    while (removed[0] !== undefined && removed[0].at + MINUTE_MS <= clock.now()) removed.shift();
    const ofTenant = [...signs, ...removed].filter((each) => each.tenant === tenant);
    return signs.length >= AT_ONCE || ofTenant.length >= perMinute;
  };
  return {
    all,
    refresh,
    at: (place) => own.get(placeOf(place)) ?? foreign.get(placeOf(place)),
    isForeign: (place) => !own.has(placeOf(place)),
    async add(sign) {
      if (isFull(all(), sign.tenant)) return false;
      own.set(placeOf(sign), sign);
      const forget = () => own.delete(placeOf(sign));
      const added = await store((signs) =>
        isFull(without(signs, sign), sign.tenant) ? undefined : [...without(signs, sign), sign],
      ).catch((thrown: unknown) => {
        forget();
        throw thrown;
      });
      if (!added) forget();
      return added;
    },
    async replace(sign) {
      own.set(placeOf(sign), sign);
      await store((signs) => [...without(signs, sign), sign]);
    },
    async remove(sign) {
      const known = own.delete(placeOf(sign));
      if (!foreign.delete(placeOf(sign)) && !known) return;
      removed.push({ tenant: sign.tenant, at: clock.now() });
      await store((signs) => without(signs, sign));
    },
  };
}

const without = (signs: readonly WaitingSign[], place: Place): readonly WaitingSign[] =>
  signs.filter((sign) => placeOf(sign) !== placeOf(place));

export const placeOf = ({ tenant, room, on }: Place): string => `${tenant} ${room} ${on}`;

const stored = z.object({
  tenant: z.string().min(1),
  room: z.string().min(1),
  on: z.string().min(1),
  turn: z.string().min(1).transform(turnId),
  putAt: z.int().min(0),
  id: z.string().min(1).exactOptional(),
  thread: z.string().min(1).exactOptional(),
});

const decode = (value: unknown): readonly WaitingSign[] =>
  list(value).flatMap((each) => stored.safeParse(each).data ?? []);
