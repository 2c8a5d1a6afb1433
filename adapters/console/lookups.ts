/** Finds the person, room, thread or reply that a request names. Each function throws a refusal if there is none. */

import type { Chat } from './chat/chat.ts';
import { DIRECT_THREAD, type MessageRecord, type RoomView } from './chat/records.ts';
import type { Rooms } from './chat/rooms.ts';
import type { ConsoleConfig, ConsolePerson } from './config.ts';
import { badRequest, forbidden, notFound } from './refusal.ts';

export interface LookupDeps {
  readonly config: ConsoleConfig;
  readonly chat: Chat;
  readonly rooms: Rooms;
}

export function findPerson({ config }: Pick<LookupDeps, 'config'>, id: string): ConsolePerson {
  const person = config.people.find((one) => one.id === id);
  if (!person) throw badRequest('That person does not exist here. Please reload the page.');
  return person;
}

/** A room that this person may see. */
export function findRoom({ rooms }: Pick<LookupDeps, 'rooms'>, id: string, person: ConsolePerson): RoomView {
  const room = rooms.find(id);
  if (!room) throw notFound('There is no such room.');
  if (room.kind === 'direct' && room.person !== person.id) {
    throw forbidden('This is the private conversation of another person.');
  }
  return room;
}

export function findThread(
  { chat }: Pick<LookupDeps, 'chat'>,
  room: RoomView,
  thread: string | undefined,
): string | undefined {
  if (room.kind === 'direct') return DIRECT_THREAD;
  if (thread === undefined) return undefined;
  const root = chat.message(thread);
  if (root?.room !== room.id || root.thread !== root.id) throw notFound('There is no such thread here.');
  return thread;
}

export function findReply({ chat }: Pick<LookupDeps, 'chat'>, turn: string): MessageRecord {
  const record = chat.ofTurn(turn);
  if (!record) throw notFound('There is no such answer, or it was regenerated in the meantime.');
  return record;
}

/** A message that the person wrote. */
export function findOwn(deps: LookupDeps, id: string, person: ConsolePerson): MessageRecord {
  const record = deps.chat.message(id);
  if (!record || record.deleted) throw notFound('That message no longer exists.');
  findRoom(deps, record.room, person);
  const { kind, id: author } = record.author;
  if (kind !== 'person' || author !== person.id) throw forbidden('Only its author can change a message.');
  return record;
}
