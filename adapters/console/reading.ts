/**
 * Stores how far people have read, and searches messages. With and without a sign-in, a person gets only messages of
 * rooms that the page lists for them.
 */

import { rank, readQuery } from './chat/search-text.ts';
import type { ConsolePerson } from './config.ts';
import { findRoomFor, type Handler, type Parts } from './lookups.ts';

/** Maximum hits that a search returns. */
const HITS = 20;
/**
 * Searches are answered after a multiple of this time, in milliseconds. A word that occurs in rooms that the person may
 * not read takes the index longer, about 1 ms for 2,000 messages.
 */
const STEP_MS = 25;

export const unread: Handler<'/unread'> = async ({ rooms, store }, person) => {
  const { seq } = store.feed;
  await store.rows.beginReading(person.id);
  return { messages: await store.index.unread(person.id, roomsOf(rooms, person)), seq };
};

/** Stores how far the person has read, and tells their other browsers. */
export const read: Handler<'/read'> = async (parts, person, { as: _as, ...place }) => {
  findRoomFor(parts, place.room, person);
  const { store } = parts;
  const position = { person: person.id, ...place };
  const done = await store.rows.read(position);
  if (done) await store.change(async (change) => change.publish({ type: 'read', ...position }));
  return { done };
};

export const search: Handler<'/search'> = async ({ host, rooms, store }, person, { text }) => {
  const { clock } = host;
  const began = clock.now();
  const query = readQuery(text);
  const found = rank(await store.index.search(query, roomsOf(rooms, person)), query, HITS);
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
};

/** Returns the ids of the rooms that the person may read. */
const roomsOf = (rooms: Parts['rooms'], person: ConsolePerson): readonly string[] =>
  rooms.list(person).map(({ id }) => id);
