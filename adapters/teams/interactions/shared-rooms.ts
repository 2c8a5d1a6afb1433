/**
 * The conversations offered for sharing, with their names. Each person is offered the conversations in which they used
 * the bridge.
 */

import { createCache, type Keyed, plains, share, text, words as textsIn } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { TeamsPerson, TeamsPlace } from '../activity.ts';
import type { Connector } from '../api/connector.ts';
import { readWithRetries } from '../api/retries.ts';
import { readConversation } from '../ids.ts';
import type { Places } from '../receive/places.ts';
import { words } from './words.ts';

/** Time from a record's last change until it expires, in milliseconds. The conversation is then no longer offered. */
const KEPT_MS = 90 * 24 * 60 * 60_000;
/** Maximum conversations offered to a person; the ones used most recently are kept. */
const ROOMS = 20;
/** Maximum people recorded per conversation; the most recent ones are kept. */
const PEOPLE = 1_000;

export type SharedRooms = ReturnType<typeof createSharedRooms>;

const keyOf = (tenant: string, person: string): string => `met ${tenant} ${person}`;
/** Returns the key for the people of a room. */
const peopleKey = (tenant: string, room: string): string => `met by ${tenant} ${room}`;

export function createSharedRooms(state: Keyed, places: Pick<Places, 'room'>) {
  const read = async (tenant: string, person: string): Promise<readonly string[]> =>
    roomsIn(await state.get(keyOf(tenant, person)));
  /** Returns a group chat or channel as a whole, without a thread; undefined for a one-to-one chat. */
  const find = async (tenant: string, room: string): Promise<TeamsPlace | undefined> => {
    const place = await places.room(tenant, room);
    return place?.kind === 'direct' ? undefined : place;
  };
  return {
    find,
    /** Records that the person used the bridge in this conversation. Resolves once stored. */
    async note(
      { tenant, conversation, kind, copilot }: TeamsPlace,
      { id: person, isBot }: Pick<TeamsPerson, 'id' | 'isBot'>,
    ): Promise<void> {
      const { room } = readConversation(conversation);
      if (kind === 'direct' || copilot || isBot || (await read(tenant, person))[0] === room) return;
      await state.change(
        peopleKey(tenant, room),
        (people) => [person, ...without(textsIn(people), person)].slice(0, PEOPLE),
        KEPT_MS,
        { tenant, room },
      );
      const latest = (rooms: unknown) => [room, ...without(roomsIn(rooms), room)].slice(0, ROOMS);
      const owner = { tenant, person };
      await state.change(keyOf(tenant, person), (rooms) => latest(rooms).map(asRoom), KEPT_MS, owner);
    },
    /** Deletes the records of a conversation from which the app was removed. */
    async left(tenant: string, room: string): Promise<void> {
      for (const person of textsIn(await state.get(peopleKey(tenant, room)))) {
        const key = keyOf(tenant, person);
        const others = (rooms: unknown) => without(roomsIn(rooms), room).map(asRoom);
        await state.change(key, others, KEPT_MS, { tenant, person });
        if ((await read(tenant, person)).length === 0) await state.delete(key);
      }
      await state.delete(peopleKey(tenant, room));
    },
    /** Returns other group chats and channels in which the person used the bridge and the app is still a member. */
    async rooms(
      { tenant, conversation }: TeamsPlace,
      person: Pick<TeamsPerson, 'id'>,
    ): Promise<readonly TeamsPlace[]> {
      const { room: here } = readConversation(conversation);
      const others = (await read(tenant, person.id)).filter((room) => room !== here);
      const found = await Promise.all(others.map((room) => find(tenant, room)));
      return found.flatMap((place) => place ?? []);
    },
  };
}

const asRoom = (room: string) => ({ room });
const roomsIn = (value: unknown): readonly string[] => plains(value).flatMap(({ room }) => text(room) ?? []);
const without = (all: readonly string[], one: string): readonly string[] =>
  all.filter((each) => each !== one);

/** Time for which channel names are cached, in milliseconds. */
const CACHE_MS = 60 * 60_000;
/** Maximum number of teams whose channel names are cached. */
const TEAMS = 1_000;

/**
 * Returns the conversation's name, which is never empty. Requests the channel names of each team from Teams at most
 * once an hour.
 */
export type NameOf = (place: TeamsPlace) => Promise<string>;

type Channels = ReadonlyMap<string, string | undefined>;

/** @param signal aborts when the adapter stops */
export function createNames(
  connector: Pick<Connector, 'channels'>,
  clock: Clock,
  signal: AbortSignal,
): NameOf {
  const known = createCache<Promise<Channels>>({ clock, max: TEAMS, ttlMs: CACHE_MS });
  const read = async (team: string, serviceUrl: string): Promise<Channels> => {
    const got = await readWithRetries(() => connector.channels(serviceUrl, team, signal), clock, signal);
    if (got.kind !== 'got') throw new Error('Teams did not list the channels of a team.');
    return new Map(got.value.map(({ id, name }) => [id, name]));
  };
  return async ({ tenant, serviceUrl, name, team, conversation }) => {
    if (team === undefined) return name ?? words.groupChat;
    const key = `${tenant} ${team}`;
    const reading = known.get(key) ?? share(known, key, read(team, serviceUrl));
    const channels = await reading.catch(() => undefined);
    const { room } = readConversation(conversation);
    // Teams lists the General channel without a name.
    const channel = channels?.get(room) ?? (channels?.has(room) ? words.generalChannel : undefined);
    return [name, channel].filter(Boolean).join(': ') || words.aChannel;
  };
}
