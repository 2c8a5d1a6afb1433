import { randomUUID } from 'node:crypto';
import { defined } from '../../src/kit.ts';
import type { Bodies } from './bodies.ts';
import { CHANNEL, directRoom, TENANT, threadRef, toPerson } from './chat/inbound.ts';
import { DIRECT_THREAD } from './chat/records.ts';
import { isOpen } from './chat/reply-record.ts';
import { withoutPerson } from './chat/rooms.ts';
import type { ConsolePerson } from './config.ts';
import { CONVERSATIONS, MEMBERS } from './limits.ts';
import { findOpenRoomFor, findPerson, findRoomFor, type Parts } from './lookups.ts';
import { badRequest, forbidden, notFound } from './refusal.ts';
import type { Act, Acted, ConsoleState, RoomView } from './wire.ts';

/** Creates, changes and deletes rooms and conversations, and invites and removes members. */
export class RoomActs {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  rightsOf(person: ConsolePerson): Pick<ConsoleState, 'makesRooms' | 'administers'> {
    const may = (action: 'make-rooms' | 'administer') => this.#refusal(person, action) === undefined;
    return { makesRooms: may('make-rooms'), administers: may('administer') };
  }

  #refusal(person: ConsolePerson, action: 'make-rooms' | 'administer', room = ''): string | undefined {
    const place = { channel: CHANNEL, tenant: TENANT, room, kind: 'room' } as const;
    return this.#parts.host.refusal(toPerson(person), action, place);
  }

  async add({ as, name, topic, private: isPrivate }: Bodies['/rooms']): Promise<RoomView> {
    const refusal = this.#refusal(findPerson(this.#parts, as), 'make-rooms');
    if (refusal !== undefined) throw forbidden(refusal);
    const members = isPrivate ? { members: [as] } : {};
    const room = await this.#parts.rooms.add({ name, topic, kind: 'room', owner: as, ...members });
    if (!room) throw badRequest('There are too many rooms already. Please use one of them.');
    return room;
  }

  /** Renames or archives a room, or gives a conversation a title. */
  async change(id: string, { as, name, topic, archived }: Bodies['/rooms/:id/change']): Promise<RoomView> {
    const { rooms } = this.#parts;
    return rooms.change(() => {
      const room = this.#managed(id, as);
      if (room.kind === 'direct') return name === undefined ? room : { ...room, title: name };
      const same = name === undefined || room.members ? undefined : rooms.publicNamed(name);
      if (same && same.id !== id) throw badRequest('There is already a room with this name.');
      return { ...room, ...defined({ name, topic, archived }) };
    });
  }

  /** Adds a member. For them, the messages from before the invitation count as read. */
  async invite(id: string, { as, person }: Bodies['/rooms/:id/invite']): Promise<RoomView> {
    const { rooms, store } = this.#parts;
    const invited = findPerson(this.#parts, person).id;
    const mayJoin = () => {
      const room = findOpenRoomFor(this.#parts, id, findPerson(this.#parts, as));
      const { members = [] } = room;
      if (members.length === 0) throw badRequest('Everyone can read this room.');
      if (members.length >= MEMBERS) throw badRequest(`A private room can have ${MEMBERS} members.`);
      return { room, members };
    };
    const { room, members } = mayJoin();
    if (members.includes(invited)) return room;
    await store.index.readAll(invited, id);
    return rooms.change(() => {
      const now = mayJoin();
      return { ...now.room, members: [...new Set([...now.members, invited])] };
    });
  }

  /** Removes a member. When the last member leaves, deletes the room. */
  async remove(id: string, { as, person }: Bodies['/rooms/:id/invite']): Promise<Acted> {
    const { rooms } = this.#parts;
    const find = () => {
      const room =
        as === person ? findRoomFor(this.#parts, id, findPerson(this.#parts, as)) : this.#managed(id, as);
      if (!room.members?.includes(person)) throw badRequest('That person is not a member of this room.');
      return room;
    };
    if (find().members?.length === 1) return this.#erase(id, find);
    await rooms.change(() => withoutPerson(find(), person));
    return { done: true };
  }

  /** Returns a conversation of the person and the agent that has no messages. Creates one if there is none. */
  async converse({ as, agent }: Bodies['/conversations']): Promise<RoomView> {
    const { host, rooms, store } = this.#parts;
    const person = findPerson(this.#parts, as);
    const card = host.agents().find(({ name }) => name === agent);
    if (!card) throw notFound('There is no such agent. Please reload the page.');
    const first = directRoom(person, card);
    const own = rooms.stored((room) => room.kind === 'direct' && room.person === as);
    if (own.every(({ id }) => id !== first.id)) return first;
    for (const room of own.filter((one) => one.agent === agent && one.opening === undefined))
      if ((await store.rows.messagesAfter(room.id, 1)).length === 0) return room;
    if (own.length >= CONVERSATIONS)
      throw badRequest(`You have ${CONVERSATIONS} conversations. Please delete one that you no longer need.`);
    const room = { ...first, id: `${first.id}~${randomUUID()}`, at: host.clock.now() };
    return rooms.change(() => room);
  }

  /** Deletes a conversation: its messages, answers and files, and what the bridge stores about it. */
  async delete(id: string, { as }: Act): Promise<Acted> {
    const person = findPerson(this.#parts, as);
    const find = () => {
      const room = findRoomFor(this.#parts, id, person);
      if (room.kind !== 'direct') throw badRequest('Only a conversation with an agent can be deleted.');
      return room;
    };
    find();
    for (const { reply } of await this.#parts.chat.reader.recent(id, DIRECT_THREAD))
      if (reply && isOpen(reply)) {
        const thread = threadRef(find(), DIRECT_THREAD);
        await this.#parts.host.intake({
          kind: 'delete',
          thread,
          message: reply.question,
          by: toPerson(person),
        });
      }
    return this.#erase(id, find);
  }

  /** Deletes a room for good. It first takes no new messages, so that none remains without a room. */
  async #erase(id: string, find: () => RoomView): Promise<Acted> {
    const { host, rooms } = this.#parts;
    if (rooms.stored((room) => room.id === id).length === 0) return { done: true };
    await rooms.change(() => ({ ...find(), archived: true }));
    await host.forgetRoom(TENANT, id);
    return { done: true };
  }

  /** Finds a room that the person may change: their own conversation, a room that they made, or as an administrator. */
  #managed(id: string, as: string): RoomView {
    const person = findPerson(this.#parts, as);
    const room = findRoomFor(this.#parts, id, person);
    const manages =
      room.kind === 'direct' || room.owner === as || this.#refusal(person, 'administer', id) === undefined;
    if (!manages) throw forbidden('Only the person who manages this room can do that.');
    return room;
  }
}
