/**
 * People's names as their channels show them. Turns contain only ids; with these names, operators' commands can name
 * the people.
 */

import type { Clock } from '../clock.ts';
import type { Person, ThreadRef } from '../message.ts';
import type { KeyValues } from './keyed.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Milliseconds for which a name is kept after the person's last question. */
const KEPT_MS = 30 * DAY_MS;
/** Maximum number of people whose names this process remembers as stored. */
const KNOWN = 10_000;

/** Namespace of the names in the store. */
export const NAMES = 'names';

export type PeopleNames = ReturnType<typeof createPeopleNames>;

/** Returns the key of a person's name. */
export const nameKey = ({ channel, tenant }: Pick<ThreadRef, 'channel' | 'tenant'>, person: string): string =>
  JSON.stringify([channel, tenant, person]);

export function createPeopleNames(stored: KeyValues, clock: Pick<Clock, 'now'>) {
  const known = new Map<string, { readonly name: string; readonly at: number }>();
  return {
    /** Stores the person's name, at most once a day for each person. */
    async note({ id, name }: Pick<Person, 'id' | 'name'>, place: Pick<ThreadRef, 'channel' | 'tenant'>) {
      const key = nameKey(place, id);
      const last = known.get(key);
      const now = clock.now();
      const isStored = last !== undefined && last.name === name && now - last.at < DAY_MS;
      if (name === '' || name === id || isStored) return;
      if (known.size >= KNOWN) known.clear();
      known.set(key, { name, at: now });
      const { channel, tenant } = place;
      await stored.set(key, name, KEPT_MS, { channel, tenant, person: id });
    },
  };
}
