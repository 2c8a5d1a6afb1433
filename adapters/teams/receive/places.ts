/** Stores the address of each conversation, because answers and notes may be sent long after its last message. */

import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { createKeptList, type Keyed } from '../../../src/kit/ladder.ts';
import { type Clock, defined, type ThreadRef } from '../../../src/kit.ts';
import type { ReplyPlace, TeamsPlace } from '../activity.ts';
import type { Hosts } from '../api/hosts.ts';
import { conversationId, readConversation } from '../ids.ts';
import { conversationOf } from '../private.ts';

/** Time from a conversation's last message until its record expires, in milliseconds. */
const KEPT_MS = 400 * 24 * 60 * 60_000;
/** Age at which an unchanged record is written again, in milliseconds, so that it does not expire. */
const FRESH_MS = 7 * 24 * 60 * 60_000;
/** Maximum number of conversations in memory. */
const MAX_PLACES = 10_000;
/**
 * Lifetime of a conversation in memory, in milliseconds. It is short, because another process may store or forget the
 * conversation.
 */
const CACHE_MS = 60_000;

export type Places = ReturnType<typeof createPlaces>;

/**
 * The stored data of a chat or channel. The addresses of its threads differ only in the id of the first message, which
 * is not stored.
 */
const placeRecord = z.object({
  kind: z.enum(['direct', 'group', 'room']),
  serviceUrl: z.string().min(1),
  bot: z.string().min(1),
  team: z.string().exactOptional(),
  name: z.string().exactOptional(),
  /** Absent in records of earlier versions. */
  writtenAt: z.number().exactOptional(),
});

type PlaceRecord = z.output<typeof placeRecord>;

/** Returns the list of the stored channels of a team. */
const teamList = (state: Keyed, tenant: string, team: string) =>
  createKeptList(state, `team ${tenant} ${team}`, KEPT_MS, { tenant, room: team });

export function createPlaces(state: Keyed, hosts: Hosts, clock: Clock) {
  const known = new LRUCache<string, { record: PlaceRecord; readAt: number }>({ max: MAX_PLACES });
  const closed = new LRUCache<string, true>({ max: MAX_PLACES });
  /** Reads the record. While the store fails, an older record in memory is used, so that running answers continue. */
  const read = async (key: string): Promise<PlaceRecord | undefined> => {
    const cached = known.get(key);
    if (cached !== undefined && Math.abs(clock.now() - cached.readAt) < CACHE_MS) return cached.record;
    try {
      const record = placeRecord.safeParse(await state.get(key)).data;
      if (record === undefined) known.delete(key);
      else known.set(key, { record, readAt: clock.now() });
      return record;
    } catch (thrown) {
      if (cached === undefined) throw thrown;
      return cached.record;
    }
  };
  const findRoom = async (tenant: string, room: string): Promise<TeamsPlace | undefined> => {
    const found = await read(keyOf(tenant, room));
    // Check the stored address again, because the list of allowed hosts may have changed (attack S15: foreign service
    // addresses).
    if (found === undefined || hosts.serviceOf(found.serviceUrl) !== 'connector') return undefined;
    const { writtenAt: _, ...place } = found;
    return { ...place, tenant, conversation: room };
  };
  /** Returns the place unless Teams has closed it to the app. */
  const ifOpen = <Place extends TeamsPlace>(place: Place | undefined): Place | undefined =>
    place && (closed.has(keyOf(place.tenant, place.conversation)) ? undefined : place);
  const forget = async (tenant: string, room: string): Promise<void> => {
    const key = keyOf(tenant, room);
    known.delete(key);
    await state.delete(key);
  };
  return {
    /** Stores the conversation that an event came from. */
    async remember({ tenant, conversation, kind, serviceUrl, bot, team, name: told }: TeamsPlace) {
      const { room } = readConversation(conversation);
      const key = keyOf(tenant, room);
      const there = conversationId(readConversation(conversation));
      for (const each of [there, room]) closed.delete(keyOf(tenant, each));
      const before = await read(key);
      // Some events do not contain the name, so keep the stored one.
      const name = told ?? before?.name;
      const now = clock.now();
      const { writtenAt = now - FRESH_MS, ...stored } = before ?? {};
      const place = { kind, serviceUrl, bot, ...defined({ team, name }) };
      if (Math.abs(now - writtenAt) < FRESH_MS && isDeepStrictEqual(stored, place)) return;
      if (team !== undefined) await teamList(state, tenant, team).put(room);
      const record: PlaceRecord = { ...place, writtenAt: now };
      await state.set(key, record, KEPT_MS, { tenant, room });
      known.set(key, { record, readAt: now });
    },
    /** Returns the thread's conversation; undefined if the app is not, or no longer, a member of it. */
    async find(thread: Pick<ThreadRef, 'tenant' | 'room' | 'key' | 'kind'>) {
      const place = await findRoom(thread.tenant, thread.room);
      return ifOpen(place && { ...place, ...conversationOf(thread) });
    },
    /**
     * Returns the chat or channel as a whole, without a thread; undefined if the app is not, or no longer, a member of
     * it.
     */
    room: async (tenant: string, room: string) => ifOpen(await findRoom(tenant, room)),
    /** Deletes all that is stored about a chat or channel. */
    forget,
    /**
     * Records that Teams has closed a conversation to the app, until the next event from it. In a channel, this
     * concerns only the one thread.
     */
    async close({ tenant, conversation, kind }: Pick<ReplyPlace, 'tenant' | 'conversation' | 'kind'>) {
      closed.set(keyOf(tenant, conversation), true);
      // The other threads of a channel use the same record.
      if (kind !== 'room') await forget(tenant, conversation);
    },
    /** Returns the ids of the stored channels of the team that `place` belongs to. */
    ofTeam: ({ tenant, team }: TeamsPlace) =>
      team === undefined ? Promise.resolve([]) : teamList(state, tenant, team).all(),
  };
}

const keyOf = (tenant: string, room: string): string => `place ${tenant} ${room}`;
