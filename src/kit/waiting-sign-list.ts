/**
 * Which questions have a sign that they wait, or may have one: kept before it is put, so that it outlives no process.
 */

import { z } from 'zod';
import type { AdapterHost } from '../core/channel/host.ts';
import { type TurnId, turnId } from '../core/ids.ts';
import { list } from './json.ts';
import { createSharedSave } from './kept-list.ts';

/** Longer than any question waits; what could not be taken away by then is given up. */
export const KEPT_MS = 24 * 60 * 60_000;
const MINUTE_MS = 60_000;
/** Of all workspaces, some 150 bytes each: they are kept as one value. */
const AT_ONCE = 200;

export interface WaitingSign {
  readonly tenant: string;
  readonly room: string;
  /** The question's id in the room. */
  readonly on: string;
  /** The waiting turn. */
  readonly turn: TurnId;
  readonly putAt: number;
  /** Id of the sign if it is a message of its own, once it is known. */
  readonly id?: string;
  /** Key of the thread that it stands in, where one of unknown id is looked for there. */
  readonly thread?: string;
}

type Place = Pick<WaitingSign, 'tenant' | 'room' | 'on'>;

export interface SignList {
  all(): readonly WaitingSign[];
  at(place: Place): WaitingSign | undefined;
  /**
   * Resolves once it is on disk; false where there are enough. Rejects with `store-unavailable`, and then it is not
   * there.
   */
  add(sign: WaitingSign): Promise<boolean>;
  /** Replaces the sign of another turn of the same message, or a sign that lacked facts. */
  replace(sign: WaitingSign): Promise<void>;
  remove(sign: WaitingSign): Promise<void>;
}

export interface SignListDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock' | 'log'>;
  /** Under which the list is kept. */
  readonly key: string;
  /** So many of one tenant can be taken away in a minute. */
  readonly perMinute: number;
}

/** Opens the stored signs. Unreadable ones are dropped, so that the bridge starts in any case. */
export async function openSigns({ host, key, perMinute }: SignListDeps): Promise<SignList> {
  const { state, clock, log } = host;
  const value = await state.get(key).catch((err: unknown) => {
    log.warn({ err }, 'waiting notices of an earlier process may remain');
    return [];
  });
  const signs = new Map(decode(value).map((sign) => [placeOf(sign), sign]));
  const save = createSharedSave(() => state.set(key, [...signs.values()], KEPT_MS));
  /** Those of the last minute, oldest first. */
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
