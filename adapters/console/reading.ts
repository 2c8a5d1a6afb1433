import type { Bodies } from './bodies.ts';
import { rank, readQuery } from './chat/search-text.ts';
import { findPerson, findRoomFor, type Parts } from './lookups.ts';
import type { Acted, SearchView, UnreadView } from './wire.ts';

/** Maximum hits that a search returns. */
const HITS = 20;
/**
 * Searches are answered after a multiple of this time, in milliseconds. A word that occurs in rooms that the person may
 * not read takes the index longer, about 1 ms for 2,000 messages.
 */
const STEP_MS = 25;

/**
 * Stores how far people have read, and searches messages. With and without a sign-in, a person gets only messages of
 * rooms that the page lists for them.
 */
export class Reading {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async unread(as: string): Promise<UnreadView> {
    const { feed, index } = this.#parts.store;
    const { seq } = feed;
    return { messages: await index.unread(as, this.#roomsOf(as)), seq };
  }

  /** Stores how far the person has read, and tells their other browsers. */
  async read({ as, ...position }: Bodies['/read']): Promise<Acted> {
    const person = findPerson(this.#parts, as);
    findRoomFor(this.#parts, position.room, person);
    const { store } = this.#parts;
    const done = await store.index.read({ person: as, ...position });
    if (done) await store.change(async (change) => change.publish({ type: 'read', person: as, ...position }));
    return { done };
  }

  async search({ as, text }: Bodies['/search']): Promise<SearchView> {
    const { host, store } = this.#parts;
    const { clock } = host;
    const began = clock.now();
    const query = readQuery(text);
    const found = rank(await store.index.search(query, this.#roomsOf(as)), query, HITS);
    await clock.wait(STEP_MS - ((clock.now() - began) % STEP_MS));
    return {
      hits: found.map(({ record: { id, room, thread, at, author }, snippet }) => ({
        id,
        room,
        thread,
        at,
        author,
        snippet,
      })),
    };
  }

  /** Returns the ids of the rooms that the person may read. */
  #roomsOf(as: string): readonly string[] {
    return this.#parts.rooms.list(findPerson(this.#parts, as)).map(({ id }) => id);
  }
}
