/** Where people met the bridge: the conversations to which they may want to share. */

import { plains, text, words } from '../../../src/kit/json.ts';
import type { Keyed } from '../../../src/kit.ts';
import type { TeamsPerson, TeamsPlace } from '../activity.ts';
import { readConversation } from '../ids.ts';
import type { Places } from '../receive/places.ts';

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
    const people = words(await state.get(peopleKey(tenant, room)));
    const there = [person, ...people.filter((each) => each !== person)].slice(0, PEOPLE);
    await state.set(peopleKey(tenant, room), there, KEPT_MS);
    await write(tenant, person, [room, ...before.filter((each) => each !== room)].slice(0, ROOMS));
  };
  const drop = async (tenant: string, room: string): Promise<void> => {
    for (const person of words(await state.get(peopleKey(tenant, room)))) {
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
