import { randomUUID } from 'node:crypto';
import type { AgentCard } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { ConsolePerson } from '../config.ts';
import { ALL_ROOMS, ROOMS } from '../limits.ts';
import type { RoomView } from '../wire.ts';
import type { Follower } from './feed.ts';
import { directRoom } from './inbound.ts';
import type { People } from './people.ts';
import type { Change, ChatStore } from './ports.ts';
import { DIRECT_THREAD, type MessageRecord } from './records.ts';

const firstRooms: readonly RoomView[] = [
  { id: 'general', name: 'general', topic: 'Everyone, everything', kind: 'room' },
  { id: 'support', name: 'support', topic: 'Questions about how things work', kind: 'room' },
  { id: 'random', name: 'random', topic: 'Everything else', kind: 'room' },
];

/**
 * The sender of a request: a person, or `anyone` in a console without access control, where people choose whom to speak
 * as.
 */
export type Viewer = ConsolePerson | 'anyone';

/** True if the viewer may read the room: a public room, a private room with the viewer as a member, or their own. */
export function mayRead(viewer: Viewer, { kind, person, members }: RoomView): boolean {
  if (viewer === 'anyone') return true;
  return kind === 'direct' ? person === viewer.id : (members?.includes(viewer.id) ?? true);
}

/** True for the conversation of a person and an agent that exists before its first message. */
export const isFirstConversation = ({ id, kind, person, agent }: RoomView): boolean =>
  kind === 'direct' && id === `${DIRECT_THREAD}~${person}~${agent}`;

interface Deps {
  readonly store: ChatStore;
  readonly people: People;
  readonly clock: Clock;
  agents(): readonly AgentCard[];
}

/**
 * The chat's rooms: stored ones, and a direct room for each person and agent, which is stored with its first message.
 * Each further conversation with an agent is a direct room too.
 */
export class Rooms implements Follower {
  readonly #deps: Deps;
  readonly #kept = new Map<string, RoomView>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.store.feed.follow(this);
  }

  /** Loads the stored rooms and the titles of conversations. Must be called before rooms are used. */
  async load(): Promise<void> {
    const { rows } = this.#deps.store;
    for (const room of firstRooms) await rows.addRoom(room);
    const stored = [...(await rows.rooms()), ...(await rows.privateRooms())];
    const messages = Map.groupBy(await rows.firstMessages(), ({ room }) => room);
    this.#kept.clear();
    for (const room of stored)
      this.#kept.set(room.id, room.kind === 'direct' ? withOpening(room, messages.get(room.id) ?? []) : room);
  }

  apply(event: Parameters<Follower['apply']>[0]): void {
    if (event.type === 'room' || event.type === 'room-stored') this.#kept.set(event.room.id, event.room);
    if (event.type === 'room-dropped') this.#kept.delete(event.id);
  }

  /** Returns the rooms that the viewer may read. */
  list(viewer: Viewer): readonly RoomView[] {
    const readable = [...this.#kept.values()].filter((room) => mayRead(viewer, room));
    const people = viewer === 'anyone' ? this.#deps.people.list() : [viewer];
    const agents = this.#deps.agents();
    const direct = people.flatMap((person) => agents.map((agent) => directRoom(person, agent)));
    return [...readable, ...direct.filter((room) => !this.#kept.has(room.id))];
  }

  find(id: string): RoomView | undefined {
    const known = this.#kept.get(id);
    if (known) return known;
    const [, who = '', name] = DIRECT_ID.exec(id) ?? [];
    const person = this.#deps.people.find(who);
    const agent = this.#deps.agents().find((one) => one.name === name);
    return person && agent && directRoom(person, agent);
  }

  /** True if the viewer may read the room with this id. A room that does not exist cannot be read. */
  mayRead(viewer: Viewer, id: string): boolean {
    if (viewer === 'anyone') return true;
    const room = this.find(id);
    return room !== undefined && mayRead(viewer, room);
  }

  /**
   * Creates a room. If there is a public room with the name of the new public room, returns that room. Returns undefined
   * if there are too many rooms. Private rooms may have equal names, so that no name reveals another room.
   */
  add(wanted: Omit<RoomView, 'id'>): Promise<RoomView | undefined> {
    return this.#deps.store.change(async (change) => {
      const same = wanted.members ? undefined : this.publicNamed(wanted.name);
      if (same) return same;
      const rooms = this.stored(({ kind }) => kind === 'room');
      const alike = rooms.filter(({ members, owner }) =>
        wanted.members ? members && owner === wanted.owner : !members,
      );
      if (alike.length >= ROOMS || rooms.length >= ALL_ROOMS) return undefined;
      return this.#save(change, { id: randomUUID(), ...wanted });
    });
  }

  publicNamed(name: string): RoomView | undefined {
    const isSame = (room: RoomView) => room.name.toLowerCase() === name.toLowerCase();
    return this.stored((room) => room.kind === 'room' && !room.members && isSame(room))[0];
  }

  /**
   * Stores the room that `next` returns, and shows it to the people who may read it. Rooms change one after another, so
   * that no change is lost. `next` throws to refuse the change.
   */
  change(next: () => RoomView): Promise<RoomView> {
    return this.#deps.store.change(async (change) => this.#save(change, next()));
  }

  async #save(change: Change, room: RoomView): Promise<RoomView> {
    const before = this.#kept.get(room.id)?.members ?? [];
    await change.rows.saveRoom(room);
    change.publish({ type: 'room', room });
    const others = before.filter((person) => !room.members?.includes(person));
    for (const person of others) change.publish({ type: 'left', room: room.id, person });
    return room;
  }

  /** Sets the title of a conversation after its first message was added, edited or deleted. */
  async retitle(id: string): Promise<void> {
    if (this.#kept.get(id)?.kind !== 'direct') return;
    const retitled = this.#deps.store.change(async (change) => {
      const messages = await change.rows.firstMessages(id);
      const room = this.#kept.get(id);
      if (room && room.opening !== openingOf(messages))
        change.publish({ type: 'room', room: withOpening(room, messages) });
    });
    // Without its title, a conversation works all the same.
    await retitled.catch(() => undefined);
  }

  /** Returns the stored rooms for which `fits` returns true. */
  stored(fits: (room: RoomView) => boolean): readonly RoomView[] {
    return [...this.#kept.values()].filter(fits);
  }

  /** Deletes the stored rooms for which `fits` returns true. */
  drop(fits: (room: RoomView) => boolean): Promise<void> {
    return this.#deps.store.change(async (change) => {
      for (const { id, person, members = [] } of this.stored(fits)) {
        await change.rows.dropRoom(id);
        change.publish({ type: 'room-dropped', id });
        for (const each of person === undefined ? members : [person])
          change.publish({ type: 'left', room: id, person: each });
      }
    });
  }

  /** Removes the person from all rooms. */
  async forgetPerson(person: string): Promise<void> {
    for (const room of this.stored(({ owner, members }) => [owner, ...(members ?? [])].includes(person)))
      await this.change(() => withoutPerson(this.#kept.get(room.id) ?? room, person));
    await this.#deps.store.change(({ rows }) => rows.forgetMember(person));
  }

  /** Stores a new conversation, or the first conversation at its first message. Does nothing for other rooms. */
  async keep(change: Change, room: RoomView): Promise<void> {
    if (room.kind !== 'direct' || this.#kept.has(room.id)) return;
    const stored = { ...room, at: this.#deps.clock.now() };
    await change.rows.addRoom(stored);
    change.publish({ type: 'room-stored', room: stored });
  }
}

/** Matches the id of a direct room, as `directRoom` makes it. */
const DIRECT_ID = new RegExp(`^${DIRECT_THREAD}~([^~]+)~(.+)$`, 's');

/** Maximum UTF-16 units of a conversation's title. */
const TITLE_CHARS = 60;

function withOpening({ opening: _before, ...room }: RoomView, messages: readonly MessageRecord[]): RoomView {
  const opening = openingOf(messages);
  return { ...room, ...(opening !== undefined && { opening }) };
}

/** Returns the title of a conversation: the first words of the first message of a person, or the name of its file. */
export function openingOf(messages: readonly MessageRecord[]): string | undefined {
  const first = messages.find(({ author }) => author.kind === 'person');
  const line = (first?.text || first?.files[0]?.name || '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  if (line.length <= TITLE_CHARS) return line === '' ? undefined : line;
  const cut = line.slice(0, TITLE_CHARS);
  return `${cut.slice(0, cut.includes(' ') ? cut.lastIndexOf(' ') : TITLE_CHARS).toWellFormed()}…`;
}

/** Returns the room without the person. If the person was its owner, the member who joined first becomes the owner. */
export function withoutPerson({ owner, members, ...room }: RoomView, person: string): RoomView {
  const others = members?.filter((member) => member !== person);
  const next = owner === person ? others?.[0] : owner;
  return { ...room, ...(others && { members: others }), ...(next !== undefined && { owner: next }) };
}
