/**
 * The questions that have, or may have, a waiting sign. An entry is stored before its sign is posted, so that a later
 * process can remove it.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import { type TurnId, turnId } from '../core/ids.ts';
import { list } from './json.ts';
import { createSharedSave } from './kept-list.ts';

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
  /**
   * Resolves with true once the entry is on disk, with false if the list is full. Rejects with `store-unavailable`
   * without adding it.
   */
  add(sign: WaitingSign): Promise<boolean>;
  /** Replaces the entry of another turn of the same message, or an incomplete entry. */
  replace(sign: WaitingSign): Promise<void>;
  remove(sign: WaitingSign): Promise<void>;
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
  const value = await state.get(key).catch((err: unknown) => {
    log.warn({ err }, 'waiting notices of an earlier process may remain');
    return [];
  });
  const signs = new Map(decode(value).map((sign) => [placeOf(sign), sign]));
  const save = createSharedSave(() => state.set(key, [...signs.values()], KEPT_MS));
  /** Removals in the last minute, oldest first. */
  const removed: { readonly tenant: string; readonly at: number }[] = [];
  const isFull = (tenant: string): boolean => {
    while (removed[0] !== undefined && removed[0].at + MINUTE_MS <= clock.now()) removed.shift();
    const own = [...signs.values(), ...removed].filter((each) => each.tenant === tenant);
    return signs.size >= AT_ONCE || own.length >= perMinute;
  };
  return {
    all: () => [...signs.values()],
    at: (place) => signs.get(placeOf(place)),
    async add(sign) {
      if (isFull(sign.tenant)) return false;
      signs.set(placeOf(sign), sign);
      await save().catch((thrown: unknown) => {
        signs.delete(placeOf(sign));
        throw thrown;
      });
      return true;
    },
    async replace(sign) {
      signs.set(placeOf(sign), sign);
      await save();
    },
    async remove(sign) {
      if (!signs.delete(placeOf(sign))) return;
      removed.push({ tenant: sign.tenant, at: clock.now() });
      await save();
    },
  };
}

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
