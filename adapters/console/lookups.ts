/** Finds the person, room, thread or reply that a request names. Each function throws a refusal if it finds none. */

import type { Engagement } from '../../src/kit/ladder.ts';
import type { AdapterHost } from '../../src/kit.ts';
import type { Bodies } from './bodies.ts';
import type { Chat } from './chat/chat.ts';
import type { FileStore } from './chat/files.ts';
import type { People } from './chat/people.ts';
import type { ChatStore } from './chat/ports.ts';
import { DIRECT_THREAD, type MessageRecord } from './chat/records.ts';
import { isFirstConversation, mayRead, type Rooms, type Viewer } from './chat/rooms.ts';
import type { ConsoleConfig, ConsolePerson } from './config.ts';
import { badRequest, forbidden, HttpRefusal, notFound } from './refusal.ts';
import type { FileView, RoomView, Views } from './wire.ts';

/** The parts of a running console that routes share. */
export interface Parts {
  readonly config: ConsoleConfig;
  readonly host: AdapterHost;
  readonly engagement: Engagement;
  readonly store: ChatStore;
  readonly chat: Chat;
  readonly rooms: Rooms;
  readonly people: People;
  /** True if people sign in. If false, everyone may read everything, because they choose whom to speak as. */
  readonly guarded: boolean;
  readonly files: FileStore;
  /** Language of each person's browser. Contains known people only, so it stays small. */
  readonly locales: Map<string, string>;
}

/** Does what a POST route promises, for the person who acts. `id` is the id in the path. */
export type Handler<P extends keyof Views> = (
  parts: Parts,
  person: ConsolePerson,
  body: Bodies[P],
  id: string,
) => Promise<Views[P]>;

export function findPerson({ people }: Parts, id: string): ConsolePerson {
  const person = people.find(id);
  if (!person) throw badRequest('That person does not exist here. Please reload the page.');
  return person;
}

/** Finds a room. Throws a refusal if the viewer may not read it, which does not reveal that the room exists. */
export function findRoomFor(
  { rooms }: Parts,
  id: string,
  viewer: Viewer,
  missing = 'There is no such room.',
): RoomView {
  const room = rooms.find(id);
  if (room && mayRead(viewer, room)) return room;
  // The id of a first conversation consists of names that everyone knows.
  if (room && isFirstConversation(room)) {
    throw forbidden('This is the private conversation of another person.');
  }
  throw notFound(missing);
}

/** Finds a room that takes new messages. */
export function findOpenRoomFor(parts: Parts, id: string, viewer: Viewer): RoomView {
  const room = findRoomFor(parts, id, viewer);
  if (!room.archived) return room;
  throw new HttpRefusal(409, 'archived', 'This room is archived, so it takes no new messages.');
}

export async function findThread(
  { chat }: Parts,
  room: RoomView,
  thread: string | undefined,
): Promise<string | undefined> {
  if (room.kind === 'direct') return DIRECT_THREAD;
  if (thread === undefined) return undefined;
  const root = await chat.reader.message(thread);
  if (root?.room !== room.id || root.thread !== root.id) throw notFound('There is no such thread here.');
  return thread;
}

/** Finds a file. Throws a refusal if the viewer neither uploaded it nor may read a room in which it was posted. */
export async function findFileFor(
  { files, rooms, store }: Parts,
  id: string,
  viewer: Viewer,
): Promise<FileView> {
  const file = await files.find(id);
  const readable =
    viewer === 'anyone' ||
    (await store.rows.fileOwner(id)) === viewer.id ||
    (await store.rows.roomsOfFile(id)).some((room) => rooms.mayRead(viewer, room));
  if (!file || !readable) throw notFound('That file is no longer kept.');
  return file;
}

/** Finds an answer and its room. Throws a refusal if the viewer may not read the room. */
export async function findReplyFor(parts: Parts, turn: string, viewer: Viewer) {
  const missing = 'There is no such answer, or it was regenerated in the meantime.';
  const record = await parts.chat.reader.ofTurn(turn);
  if (!record) throw notFound(missing);
  return { record, room: findRoomFor(parts, record.room, viewer, missing) };
}

/** Finds a message. Throws a refusal if this person did not write it. */
export async function findOwn(parts: Parts, id: string, person: ConsolePerson): Promise<MessageRecord> {
  const missing = 'That message no longer exists.';
  const record = await parts.chat.reader.message(id);
  if (!record || record.deleted) throw notFound(missing);
  findRoomFor(parts, record.room, person, missing);
  const { kind, id: author } = record.author;
  if (kind !== 'person' || author !== person.id) throw forbidden('Only the author can change this message.');
  return record;
}
