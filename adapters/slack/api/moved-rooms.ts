/**
 * Rooms whose id Slack has changed, as it does when a private channel is shared with another organization
 * (https://docs.slack.dev/reference/events/channel_id_changed). The bridge keeps all data of such a room under the
 * room's first id: threads, conversations, running and waiting answers, buttons. So requests from Slack are translated
 * to the first id, and calls of Slack to the newest one.
 */

import { LRUCache } from 'lru-cache';
import { type Keyed, type Plain, plain, text } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { Sender } from './sender.ts';

/** Lifetime of an entry, in milliseconds: 100 years, because a room keeps its new id. */
const KEPT_MS = 100 * 365 * 24 * 60 * 60_000;
/** Maximum number of rooms whose newest ids are cached. */
const MAX_CACHED = 10_000;

/** `at` is Slack's time stamp of the change. */
type Move = Readonly<Record<'from' | 'to' | 'at', string>>;

export type MovedRooms = ReturnType<typeof createMovedRooms>;

export function createMovedRooms(state: Keyed) {
  const cached = new LRUCache<string, string>({ max: MAX_CACHED });
  const keyOf = (tenant: string, room: string): string => `moved room ${tenant} ${room}`;
  const read = async (key: string): Promise<Plain> => plain(await state.get(key));
  const roomIn = ({ channel, channel_id: id }: Plain): string => text(channel) ?? text(id) ?? '';
  const withRoom = (args: Plain, room: string): Plain =>
    args.channel === undefined ? { ...args, channel_id: room } : { ...args, channel: room };
  /** Returns the first id of the room. */
  const firstId = async (tenant: string, room: string): Promise<string> => {
    // The id of a direct message never changes.
    if (room.startsWith('D')) return room;
    return text((await read(keyOf(tenant, room))).first) ?? room;
  };
  return {
    firstId,
    /** Stores a move. Slack may repeat events and change their order, so a move never replaces a later one. */
    async move(tenant: string, { from, to, at }: Move): Promise<void> {
      const first = await firstId(tenant, from);
      const isLater = (known: unknown) => Number(at) > Number(plain(known).at ?? 0);
      const next = (known: unknown) => (isLater(known) ? { now: to, at } : undefined);
      if (first !== to) await state.set(keyOf(tenant, to), { first }, KEPT_MS, { tenant, room: to });
      await state.change(keyOf(tenant, first), next, KEPT_MS, { tenant, room: first });
      cached.delete(keyOf(tenant, first));
    },
    /** Returns the arguments of a call with the room's newest id, if it is cached. */
    current(tenant: string, args: Plain): Plain {
      const now = cached.get(keyOf(tenant, roomIn(args)));
      return now === undefined ? args : withRoom(args, now);
    },
    /**
     * Reads the room's newest id from the store, after Slack answered that the room does not exist. Resolves with the
     * arguments for another attempt; with undefined if the attempt had the newest id.
     */
    async newer(tenant: string, args: Plain): Promise<Plain | undefined> {
      const key = keyOf(tenant, roomIn(args));
      const now = text((await read(key)).now);
      if (now === undefined || now === cached.get(key)) return undefined;
      cached.set(key, now);
      return withRoom(args, now);
    },
  };
}

/** Slack's error code for a room that does not exist. Such a call had no effect. */
export const NO_ROOM = 'channel_not_found';

/** Methods that change a message of the app. If its room does not exist, the event of a move may be under way. */
const CHANGES = /^chat\.(?:appendStream|stopStream|update)$/;
/** Pauses before the newest id is read again, in milliseconds: at once, and in total 4 s. */
const PAUSES_MS = [0, 1_000, 3_000];

/** Returns a sender that uses the newest ids of rooms. */
export function inMovedRooms(sender: Sender, moved: MovedRooms, clock: Clock): Sender {
  return {
    async call(tenant, method, args, signal) {
      let answer = await sender.call(tenant, method, moved.current(tenant, args), signal);
      for (const pause of CHANGES.test(method) ? PAUSES_MS : [0]) {
        if (answer.kind !== 'refused' || answer.error !== NO_ROOM) return answer;
        if (pause > 0) await clock.wait(pause, signal);
        const newer = await moved.newer(tenant, args).catch(() => undefined);
        if (newer !== undefined) answer = await sender.call(tenant, method, newer, signal);
      }
      return answer;
    },
  };
}
