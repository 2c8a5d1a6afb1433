/** Conversations to which people may want to share: where they met the bridge, and what they are called. */

import { createCache, share } from '../../../src/kit/cache.ts';
import { plains, text, words as textsIn } from '../../../src/kit/json.ts';
import type { Clock, Keyed } from '../../../src/kit.ts';
import type { TeamsPerson, TeamsPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import { readPatiently } from '../api/patience.ts';
import { readConversation } from '../ids.ts';
import type { Allowance } from '../inbound/allowance.ts';
import type { Places } from '../receive/places.ts';
import { words } from './words.ts';

/** Where nobody met anybody for so long is not offered any more. */
const KEPT_MS = 90 * 24 * 60 * 60_000;
/** Conversations that are offered, the latest first. */
const ROOMS = 20;
/** People of one conversation, the latest first, who are told to have been there. */
const PEOPLE = 1_000;

export interface SharedRooms {
  /** Resolves when it is kept. */
  note(place: TeamsPlace, person: TeamsPerson): Promise<void>;
  /** Chats and channels where the bridge still is, but not this one. */
  rooms(place: TeamsPlace, person: TeamsPerson): Promise<readonly TeamsPlace[]>;
  /** The bridge is there no more: resolves when nobody is known to have met it there. */
  left(tenant: string, room: string): Promise<void>;
}

interface SharedRoomsDeps {
  readonly state: Keyed;
  readonly places: Pick<Places, 'find'>;
}

const keyOf = (tenant: string, person: string): string => `met ${tenant} ${person}`;
/** Who is to be told to have left; with the room as a word, so that it goes with what is kept of that. */
const peopleKey = (tenant: string, room: string): string => `met by ${tenant} ${room}`;

export function createSharedRooms({ state, places }: SharedRoomsDeps): SharedRooms {
  const read = async (tenant: string, person: string): Promise<readonly string[]> =>
    plains(await state.get(keyOf(tenant, person))).flatMap(({ room }) => text(room) ?? []);
  const write = (tenant: string, person: string, rooms: readonly string[]): Promise<void> =>
    state.set(
      keyOf(tenant, person),
      rooms.map((room) => ({ room })),
      KEPT_MS,
    );
  const add = async (tenant: string, person: string, room: string): Promise<void> => {
    const before = await read(tenant, person);
    if (before[0] === room) return;
    const people = textsIn(await state.get(peopleKey(tenant, room)));
    const there = [person, ...people.filter((each) => each !== person)].slice(0, PEOPLE);
    await state.set(peopleKey(tenant, room), there, KEPT_MS);
    await write(tenant, person, [room, ...before.filter((each) => each !== room)].slice(0, ROOMS));
  };
  const drop = async (tenant: string, room: string): Promise<void> => {
    for (const person of textsIn(await state.get(peopleKey(tenant, room)))) {
      const before = await read(tenant, person);
      const rooms = before.filter((each) => each !== room);
      if (rooms.length === 0) await state.delete(keyOf(tenant, person));
      else if (rooms.length < before.length) await write(tenant, person, rooms);
    }
    await state.delete(peopleKey(tenant, room));
  };
  /** One after the other, so that none is lost. */
  let last: Promise<unknown> = Promise.resolve();
  const next = (change: () => Promise<void>): Promise<void> => {
    const done = last.then(change);
    last = done.catch(() => undefined);
    return done;
  };
  return {
    async note({ tenant, conversation, kind }, person) {
      if (kind === 'direct' || person.isBot) return;
      const { room } = readConversation(conversation);
      await next(() => add(tenant, person.id, room));
    },
    left: (tenant, room) => next(() => drop(tenant, room)),
    async rooms({ tenant, conversation }, person) {
      const { room: here } = readConversation(conversation);
      const others = (await read(tenant, person.id)).filter((room) => room !== here);
      const found = await Promise.all(others.map((room) => roomPlace(places, tenant, room)));
      return found.flatMap((place) => place ?? []);
    },
  };
}

/** A chat or a channel as such, none of its threads. */
export async function roomPlace(
  places: Pick<Places, 'find'>,
  tenant: string,
  room: string,
): Promise<TeamsPlace | undefined> {
  const place = await places.find({ tenant, room, key: room, kind: 'group' });
  return place?.kind === 'direct' ? undefined : place;
}

/** How long names of channels count. */
const KNOWN_MS = 60 * 60_000;
/** Teams whose channels are remembered. */
const TEAMS = 1_000;

export interface Names {
  /** Always some; Teams is asked for the names of a team's channels once an hour. */
  of(place: TeamsPlace): Promise<string>;
}

interface NameDeps {
  readonly connector: Pick<Connector, 'channels'>;
  readonly allowance: Allowance;
  readonly clock: Clock;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

type Channels = ReadonlyMap<string, string | undefined>;

export function createNames({ connector, allowance, clock, signal }: NameDeps): Names {
  const known = createCache<Promise<Channels>>({ clock, max: TEAMS, ttlMs: KNOWN_MS });
  const read = async (team: string, serviceUrl: string): Promise<Channels> => {
    const got = await readPatiently(
      async () => {
        await allowance(team, signal);
        return connector.channels(serviceUrl, team, signal);
      },
      { clock, signal },
    );
    if (got.kind !== 'got') throw new Error('Teams did not name the channels of a team.');
    return new Map(got.value.map(({ id, name }) => [id, name]));
  };
  const channelsOf = (team: string, { tenant, serviceUrl }: TeamsPlace): Promise<Channels> => {
    const key = `${tenant} ${team}`;
    return known.get(key) ?? share(known, key, read(team, serviceUrl));
  };
  return {
    async of(place) {
      const { name, team, conversation } = place;
      if (team === undefined) return name ?? words.groupChat;
      const channels = await channelsOf(team, place).catch(() => undefined);
      const { room } = readConversation(conversation);
      // The General channel has no name of its own.
      const channel = channels?.get(room) ?? (channels?.has(room) ? words.generalChannel : undefined);
      return [name, channel].filter(Boolean).join(': ') || words.aChannel;
    },
  };
}
