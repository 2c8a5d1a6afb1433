/** Where people met the bridge: the conversations to which they may want to share. */

import { plains, text } from '../../../src/kit/json.ts';
import type { Keyed } from '../../../src/kit.ts';
import { readConversation } from '../ids.ts';
import type { TeamsPerson, TeamsPlace } from '../receive/activity.ts';
import type { Places } from '../receive/places.ts';

/** Where nobody met anybody for so long is not offered any more. */
const KEPT_MS = 90 * 24 * 60 * 60_000;
/** Conversations that are offered, the latest first. */
const ROOMS = 20;

export interface Met {
  /** Resolves when it is kept. */
  note(place: TeamsPlace, person: TeamsPerson): Promise<void>;
  /** Chats and channels where the bridge still is, but not this one. */
  rooms(place: TeamsPlace, person: TeamsPerson): Promise<readonly TeamsPlace[]>;
}

export interface MetParts {
  readonly state: Keyed;
  readonly places: Pick<Places, 'find'>;
}

const keyOf = (tenant: string, { id }: TeamsPerson): string => `met ${tenant} ${id}`;

export function createMet({ state, places }: MetParts): Met {
  const read = async (tenant: string, person: TeamsPerson): Promise<readonly string[]> =>
    plains(await state.get(keyOf(tenant, person))).flatMap(({ room }) => text(room) ?? []);
  const add = async (tenant: string, person: TeamsPerson, room: string): Promise<void> => {
    const before = await read(tenant, person);
    if (before[0] === room) return;
    const rooms = [room, ...before.filter((each) => each !== room)].slice(0, ROOMS);
    const kept = rooms.map((each) => ({ room: each }));
    await state.set(keyOf(tenant, person), kept, KEPT_MS);
  };
  /** One after the other, so that none is lost. */
  let last: Promise<unknown> = Promise.resolve();
  return {
    async note({ tenant, conversation, kind }, person) {
      if (kind === 'direct' || person.isBot) return;
      const { room } = readConversation(conversation);
      const added = last.then(() => add(tenant, person, room));
      last = added.catch(() => undefined);
      await added;
    },
    async rooms({ tenant, conversation }, person) {
      const { room: here } = readConversation(conversation);
      const others = (await read(tenant, person)).filter((room) => room !== here);
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
