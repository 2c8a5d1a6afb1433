/** Where conversations are written to: kept, because answers and posts may come long after what was last said there. */

import { LRUCache } from 'lru-cache';
import { isPlain, text } from '../../../src/kit/json.ts';
import { createKeptList, type KeptList } from '../../../src/kit/kept-list.ts';
import type { Clock, Keyed, ThreadRef } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import type { Hosts } from '../api/hosts.ts';
import { conversationId, readConversation } from '../ids.ts';

/** A conversation in which nothing was said for so long is forgotten. */
const KEPT_MS = 400 * 24 * 60 * 60_000;
/** How often what did not change is written again, so that it stays. */
const FRESH_MS = 7 * 24 * 60 * 60_000;
/** Conversations that are known without asking the store. */
const REMEMBERED = 10_000;

export interface Places {
  /** Takes note of where an event came from. */
  remember(place: TeamsPlace): Promise<void>;
  /** None where the app is not, or not any more. */
  find(thread: Pick<ThreadRef, 'tenant' | 'room' | 'key' | 'kind'>): Promise<TeamsPlace | undefined>;
  forget(tenant: string, room: string): Promise<void>;
  /** Channels of the place's team that were remembered. */
  ofTeam(place: TeamsPlace): Promise<readonly string[]>;
}

interface PlaceDeps {
  readonly state: Keyed;
  readonly hosts: Hosts;
  readonly clock: Clock;
}

/** What is kept of a room; its threads differ by their root only. */
type Kept = Pick<TeamsPlace, 'kind' | 'serviceUrl' | 'bot' | 'team' | 'name'>;

interface Known {
  readonly kept: Kept;
  readonly writtenAt: number;
}

export function createPlaces({ state, hosts, clock }: PlaceDeps): Places {
  const known = new LRUCache<string, Known>({ max: REMEMBERED });
  const teams = createTeamLists(state);
  return {
    async remember({ tenant, conversation, kind, serviceUrl, bot, team, name: told }) {
      const { room } = readConversation(conversation);
      const key = keyOf(tenant, room);
      const before = known.get(key);
      // Not every event tells the name.
      const name = told ?? before?.kept.name;
      const kept: Kept = {
        ...{ kind, serviceUrl, bot },
        ...(team !== undefined && { team }),
        ...(name !== undefined && { name }),
      };
      const now = clock.now();
      if (before !== undefined && now - before.writtenAt < FRESH_MS && same(before.kept, kept)) return;
      if (team !== undefined) await teams(tenant, team).add(room);
      await state.set(key, kept, KEPT_MS);
      known.set(key, { kept, writtenAt: now });
    },
    async find({ tenant, room, key: root, kind }) {
      const key = keyOf(tenant, room);
      const kept = known.get(key)?.kept ?? readKept(await state.get(key));
      // What was kept long ago is looked at again: the list of hosts may have changed since (attack S15).
      if (kept === undefined || hosts.serviceOf(kept.serviceUrl) !== 'connector') return undefined;
      // What is said outside of a thread has the room for its key.
      const conversation = kind === 'room' && root !== room ? conversationId({ room, root }) : room;
      return { ...kept, tenant, conversation };
    },
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

function readKept(value: unknown): Kept | undefined {
  if (!isPlain(value)) return undefined;
  const { kind } = value;
  const [serviceUrl, bot, team, name] = [value.serviceUrl, value.bot, value.team, value.name].map(text);
  if (kind !== 'direct' && kind !== 'group' && kind !== 'room') return undefined;
  if (serviceUrl === undefined || bot === undefined) return undefined;
  return {
    ...{ kind, serviceUrl, bot },
    ...(team !== undefined && { team }),
    ...(name !== undefined && { name }),
  };
}
