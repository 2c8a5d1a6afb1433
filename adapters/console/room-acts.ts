/** Creates, changes and deletes rooms and conversations, and invites and removes members. */

import { randomUUID } from 'node:crypto';
import { defined } from '../../src/kit.ts';
import { CHANNEL, directRoom, TENANT, threadRef, toPerson } from './chat/inbound.ts';
import { DIRECT_THREAD } from './chat/records.ts';
import { isOpen } from './chat/reply-record.ts';
import { withoutPerson } from './chat/rooms.ts';
import type { ConsolePerson } from './config.ts';
import { CONVERSATIONS, MEMBERS } from './limits.ts';
import { findOpenRoomFor, findPerson, findRoomFor, type Handler, type Parts } from './lookups.ts';
import { badRequest, forbidden, notFound } from './refusal.ts';
import type { Acted, ConsoleState, RoomView } from './wire.ts';

type Right = 'make-rooms' | 'administer';

export function rightsOf(
  { host }: Pick<Parts, 'host'>,
  person: ConsolePerson,
): Pick<ConsoleState, 'makesRooms' | 'administers'> {
  const may = (right: Right) => refusalOf({ host }, person, right) === undefined;
  return { makesRooms: may('make-rooms'), administers: may('administer') };
}

function refusalOf({ host }: Pick<Parts, 'host'>, person: ConsolePerson, right: Right, room = '') {
  const place = { channel: CHANNEL, tenant: TENANT, room, kind: 'room' } as const;
  return host.refusal(toPerson(person), right, place);
}

export const addRoom: Handler<'/rooms'> = async (parts, person, { name, topic, private: isPrivate }) => {
  const refusal = refusalOf(parts, person, 'make-rooms');
  if (refusal !== undefined) throw forbidden(refusal);
  const members = isPrivate ? { members: [person.id] } : {};
  const room = await parts.rooms.add({ name, topic, kind: 'room', owner: person.id, ...members });
  if (!room) throw badRequest('There are too many rooms already. Please use one of them.');
  return room;
};

/** Renames or archives a room, or gives a conversation a title. */
export const changeRoom: Handler<'/rooms/:id/change'> = (parts, person, { name, topic, archived }, id) => {
  const { rooms } = parts;
  return rooms.change(() => {
    const room = managed(parts, person, id);
    if (room.kind === 'direct') return name === undefined ? room : { ...room, title: name };
    const same = name === undefined || room.members ? undefined : rooms.publicNamed(name);
    if (same && same.id !== id) throw badRequest('There is already a room with this name.');
    return { ...room, ...defined({ name, topic, archived }) };
  });
};

/** Adds a member. For them, the messages from before the invitation count as read. */
export const invite: Handler<'/rooms/:id/invite'> = async (parts, person, wanted, id) => {
  const { rooms, store } = parts;
  const invited = findPerson(parts, wanted.person).id;
  const mayJoin = () => {
    const room = findOpenRoomFor(parts, id, person);
    const { members = [] } = room;
    if (members.length === 0) throw badRequest('Everyone can read this room.');
    if (members.length >= MEMBERS) throw badRequest(`A private room can have ${MEMBERS} members.`);
    return { room, members };
  };
  const { room, members } = mayJoin();
  if (members.includes(invited)) return room;
  await store.rows.readAll(invited, id);
  return rooms.change(() => {
    const now = mayJoin();
    return { ...now.room, members: [...new Set([...now.members, invited])] };
  });
};

/** Removes a member. When the last member leaves, deletes the room. */
export const removeMember: Handler<'/rooms/:id/remove'> = async (parts, person, { person: member }, id) => {
  const find = () => {
    const room = person.id === member ? findRoomFor(parts, id, person) : managed(parts, person, id);
    if (!room.members?.includes(member)) throw badRequest('That person is not a member of this room.');
    return room;
  };
  if (find().members?.length === 1) return erase(parts, id, find);
  await parts.rooms.change(() => withoutPerson(find(), member));
  return { done: true };
};

/** Returns a conversation of the person and the agent that has no messages. Creates one if there is none. */
export const converse: Handler<'/conversations'> = async ({ host, rooms, store }, person, { agent }) => {
  const card = host.agents().find(({ name }) => name === agent);
  if (!card) throw notFound('There is no such agent. Please reload the page.');
  const first = directRoom(person, card);
  const own = rooms.stored((room) => room.kind === 'direct' && room.person === person.id);
  if (own.every(({ id }) => id !== first.id)) return first;
  for (const room of own.filter((one) => one.agent === agent && one.opening === undefined))
    if ((await store.rows.messagesAfter(room.id, 1)).length === 0) return room;
  if (own.length >= CONVERSATIONS)
    throw badRequest(`You have ${CONVERSATIONS} conversations. Please delete one that you no longer need.`);
  const room = { ...first, id: `${first.id}~${randomUUID()}`, at: host.clock.now() };
  return rooms.change(() => room);
};

/** Deletes a conversation: its messages, answers and files, and what the bridge stores about it. */
export const deleteConversation: Handler<'/rooms/:id/delete'> = async (parts, person, _body, id) => {
  const { chat, host } = parts;
  const find = () => {
    const room = findRoomFor(parts, id, person);
    if (room.kind !== 'direct') throw badRequest('Only a conversation with an agent can be deleted.');
    return room;
  };
  find();
  for (const { reply } of await chat.reader.recent(id, DIRECT_THREAD))
    if (reply && isOpen(reply)) {
      const thread = threadRef(find(), DIRECT_THREAD);
      await host.intake({ kind: 'delete', thread, message: reply.question, by: toPerson(person) });
    }
  return erase(parts, id, find);
};

/** Deletes a room for good. It first takes no new messages, so that none remains without a room. */
async function erase({ host, rooms }: Parts, id: string, find: () => RoomView): Promise<Acted> {
  if (rooms.stored((room) => room.id === id).length === 0) return { done: true };
  await rooms.change(() => ({ ...find(), archived: true }));
  await host.forgetRoom(TENANT, id);
  return { done: true };
}

/** Finds a room that the person may change: their own conversation, a room that they made, or as an administrator. */
function managed(parts: Parts, person: ConsolePerson, id: string): RoomView {
  const room = findRoomFor(parts, id, person);
  const isOwn = room.kind === 'direct' || room.owner === person.id;
  if (isOwn || refusalOf(parts, person, 'administer', id) === undefined) return room;
  throw forbidden('Only the person who manages this room can do that.');
}
