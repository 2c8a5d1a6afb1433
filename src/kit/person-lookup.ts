/**
 * Looks up people one by one and caches them for an hour. If many people of one list are looked up at the same time,
 * also reads the list, because each of its pages contains hundreds of people.
 */

import { LRUCache } from 'lru-cache';
import { type Clock, orAborted } from '../core/clock.ts';
import type { Person } from '../core/message.ts';
import { BridgeError } from '../errors.ts';
import { createCache, share } from './cache.ts';

/**
 * Milliseconds for which a person is cached. Changes may be noticed an hour late, which is acceptable, because guests
 * rarely become members.
 */
const KNOWN_MS = 60 * 60_000;
/** Maximum number of cached people, in all tenants together. */
export const PEOPLE = 10_000;
/** With this many concurrent look-ups of people on one list, the whole list is read too. */
const MANY = 20;
/** Minimum time between two reads of one list, in milliseconds. */
const LIST_AGAIN_MS = 5 * 60_000;
/** Maximum number of lists for which concurrent look-ups are counted. */
const GROUPS = 1_000;

/** The ids by which a person is looked up. */
export type Ids = Pick<Person, 'id' | 'account'>;

export interface LookupDeps<Place> {
  readonly clock: Clock;
  /**
   * Returns the id of the list that contains the people of the place (such as a team or room), unique in the tenant.
   */
  listOf(place: Place): string;
  readList(place: Place): AsyncIterable<Person>;
  lookUp(place: Place, person: Ids, context: LookupContext): Promise<Person>;
}

interface LookupContext {
  /** Aborts if the list contains the person, because the look-up is then unnecessary. */
  readonly signal: AbortSignal;
  /** Resolves when the read of the list that is in progress has ended; immediately if no read is in progress. */
  listRead(): Promise<void>;
  /** Like `listRead`, but starts a read if none is in progress and the last read ended at least 5 minutes ago. */
  readList(): Promise<void>;
}

export function createPersonLookup<Place extends { readonly tenant: string }>(deps: LookupDeps<Place>) {
  const { clock } = deps;
  const known = createCache<Promise<Person>>({ clock, max: PEOPLE, ttlMs: KNOWN_MS });
  const groups = new LRUCache<string, LookupGroup>({ max: GROUPS, memoMethod: () => new LookupGroup(clock) });
  const keyOf = ({ tenant }: Place, id: string) => `${tenant} ${id}`;
  const ask = (place: Place, person: Ids): Promise<Person> =>
    groups.memo(keyOf(place, deps.listOf(place))).ask(person.id, {
      lookUp: (context) => deps.lookUp(place, person, context),
      list: () => deps.readList(place),
      listed: (other) => known.set(keyOf(place, other.id), Promise.resolve(other)),
    });
  return {
    /** Resolves with the person. Rejects as `lookUp` does, or with the signal's reason. */
    find(place: Place, person: Ids, signal?: AbortSignal) {
      const key = keyOf(place, person.id);
      // Callers share the look-up, so a single caller's signal must not abort it.
      return orAborted(known.get(key) ?? share(known, key, ask(place, person)), signal);
    },
    /** Forgets all people of a tenant. */
    forget(tenant: string) {
      for (const cache of [known, groups])
        for (const key of [...cache.keys()]) if (key.startsWith(`${tenant} `)) cache.delete(key);
    },
  };
}

/**
 * Completes the sender of a question by a look-up. Rejects with `access-denied` if the look-up fails, because rights
 * depend on the sender. A standing other than `member` that the event itself reports stays.
 * @param channel the channel's display name
 */
export async function completeSender(
  channel: string,
  sender: Person,
  lookUp: () => Promise<Person>,
  signal: AbortSignal,
): Promise<Person> {
  const found = await lookUp().catch((cause: unknown) => {
    signal.throwIfAborted();
    if (cause instanceof BridgeError && cause.code === 'access-denied') throw cause;
    throw new BridgeError('access-denied', `${channel} did not identify the person ${sender.id}.`, {
      cause,
      tellUser: `I could not look up who you are in ${channel} just now. Please ask again in a minute.`,
    });
  });
  const standing = sender.standing === 'member' ? found.standing : sender.standing;
  return { ...sender, ...found, standing };
}

interface Ways {
  lookUp(context: LookupContext): Promise<Person>;
  list(): AsyncIterable<Person>;
  /** Called for each listed person whose look-up is not in progress. */
  listed(person: Person): void;
}

/** The running look-ups of people who are on one list. */
class LookupGroup {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, (person: Person) => void>();
  /** Set while the list of people is being read; never rejects. */
  #reading: Promise<void> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves with the person from the person's own look-up or from the list, whichever comes first. */
  ask(id: string, ways: Ways): Promise<Person> {
    const over = new AbortController();
    const onList = Promise.withResolvers<Person>();
    this.#waiting.set(id, onList.resolve);
    if (this.#waiting.size >= MANY) this.#readList(ways);
    const context: LookupContext = {
      signal: over.signal,
      listRead: async () => this.#reading,
      readList: async () => {
        this.#readList(ways);
        await this.#reading;
      },
    };
    return Promise.race([onList.promise, ways.lookUp(context)]).finally(() => {
      over.abort();
      this.#waiting.delete(id);
    });
  }

  #readList(ways: Ways): void {
    if (this.#reading !== undefined || this.#clock.now() < this.#readAt + LIST_AGAIN_MS) return;
    // If the list cannot be read, the look-ups of single people continue.
    this.#reading = this.#readAll(ways)
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
        this.#readAt = this.#clock.now();
      });
  }

  async #readAll({ list, listed }: Ways): Promise<void> {
    for await (const person of list()) {
      const resolve = this.#waiting.get(person.id);
      if (resolve === undefined) listed(person);
      else resolve(person);
    }
  }
}
