/** Where conversations are written to: kept, because answers and posts may come long after what was last said there. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { defined } from '../../../src/kit/json.ts';
import { createKeptList, type KeptList } from '../../../src/kit/kept-list.ts';
import type { Clock, Keyed, ThreadRef } from '../../../src/kit.ts';
import type { ReplyPlace, TeamsPlace } from '../activity.ts';
import type { Hosts } from '../api/hosts.ts';
import { readConversation } from '../ids.ts';
import { conversationOf } from '../private.ts';

/** A conversation in which nothing was said for so long is forgotten. */
const KEPT_MS = 400 * 24 * 60 * 60_000;
/** How often what did not change is written again, so that it stays. */
const FRESH_MS = 7 * 24 * 60 * 60_000;
/** Conversations that are known without asking the store. */
const REMEMBERED = 10_000;

export interface Places {
  /** Takes note of where an event came from. */
  remember(place: TeamsPlace): Promise<void>;
  /** Returns undefined if the app is not, or no longer, a member of the thread's conversation. */
  find(thread: Pick<ThreadRef, 'tenant' | 'room' | 'key' | 'kind'>): Promise<ReplyPlace | undefined>;
  /** Like `find`, for the chat or channel itself instead of a thread. */
  room(tenant: string, room: string): Promise<TeamsPlace | undefined>;
  forget(tenant: string, room: string): Promise<void>;
  /** Channels of the place's team that were remembered. */
  ofTeam(place: TeamsPlace): Promise<readonly string[]>;
}

interface PlaceDeps {
  readonly state: Keyed;
  readonly hosts: Hosts;
  readonly clock: Clock;
}

/** The stored record of a room; its threads differ by their root only. */
const keptRoom = z.object({
  kind: z.enum(['direct', 'group', 'room']),
  serviceUrl: z.string().min(1),
  bot: z.string().min(1),
  team: z.string().exactOptional(),
  name: z.string().exactOptional(),
});

type Kept = z.output<typeof keptRoom>;

interface Known {
  readonly kept: Kept;
  readonly writtenAt: number;
}

export function createPlaces({ state, hosts, clock }: PlaceDeps): Places {
  const known = new LRUCache<string, Known>({ max: REMEMBERED });
  const teams = createTeamLists(state);
  const findRoom = async (tenant: string, room: string): Promise<TeamsPlace | undefined> => {
    const key = keyOf(tenant, room);
    const kept = known.get(key)?.kept ?? keptRoom.safeParse(await state.get(key)).data;
    // A stored address is checked again, because the list of hosts may have changed since (attack S15).
    if (kept === undefined || hosts.serviceOf(kept.serviceUrl) !== 'connector') return undefined;
    return { ...kept, tenant, conversation: room };
  };
  return {
    async remember({ tenant, conversation, kind, serviceUrl, bot, team, name: told }) {
      const { room } = readConversation(conversation);
      const key = keyOf(tenant, room);
      const before = known.get(key);
      // Not every event tells the name.
      const name = told ?? before?.kept.name;
      const kept: Kept = { kind, serviceUrl, bot, ...defined({ team, name }) };
      const now = clock.now();
      if (before !== undefined && now - before.writtenAt < FRESH_MS && same(before.kept, kept)) return;
      if (team !== undefined) await teams(tenant, team).add(room);
      await state.set(key, kept, KEPT_MS);
      known.set(key, { kept, writtenAt: now });
    },
    async find(thread) {
      const place = await findRoom(thread.tenant, thread.room);
      return place && { ...place, ...conversationOf(thread) };
    },
    room: findRoom,
    async forget(tenant, room) {
      const key = keyOf(tenant, room);
      known.delete(key);
      await state.delete(key);
    },
    ofTeam: ({ tenant, team }) => (team === undefined ? Promise.resolve([]) : teams(tenant, team).all()),
  };
}

/** Lists of teams' channels; changes of one go through the same list, so that none is lost. */
function createTeamLists(state: Keyed): (tenant: string, team: string) => KeptList {
  const lists = new LRUCache<string, KeptList>({
    max: REMEMBERED,
    memoMethod: (key) => createKeptList(state, key, KEPT_MS),
  });
  return (tenant, team) => lists.memo(`team ${tenant} ${team}`);
}

/** With the tenant as a word, so that what is kept of one can be deleted. */
const keyOf = (tenant: string, room: string): string => `place ${tenant} ${room}`;

const same = (one: Kept, other: Kept): boolean => JSON.stringify(one) === JSON.stringify(other);
