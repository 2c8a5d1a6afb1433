import { randomUUID } from 'node:crypto';
import type { AgentCard } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import type { ConsolePerson } from '../config.ts';
import { ALL_ROOMS, ROOMS } from '../limits.ts';
import type { RoomView } from '../wire.ts';
import type { Feed } from './feed.ts';
import { directRoom } from './inbound.ts';
import type { People } from './people.ts';
import { DIRECT_THREAD, type MessageRecord } from './records.ts';
import type { ChatStore } from './store.ts';

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
  readonly feed: Feed;
  readonly people: People;
  readonly clock: Clock;
  agents(): readonly AgentCard[];
}

/**
 * The chat's rooms: stored ones, and a direct room for each person and agent, which is stored with its first message.
 * Each further conversation with an agent is a direct room too.
 */
export class Rooms {
  readonly #deps: Deps;
  readonly #kept = new Map<string, RoomView>();
  /** Ends when the last change that has begun is done. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
    for (const room of firstRooms) deps.store.addRoom(room);
    for (const room of deps.store.rooms()) this.#kept.set(room.id, room);
  }

  /** Loads the private rooms and the titles of conversations. Must be called before rooms are used. */
  async load(): Promise<void> {
    for (const room of await this.#deps.store.privateRooms()) this.#kept.set(room.id, room);
    for (const { id } of this.stored(({ kind }) => kind === 'direct')) await this.#setOpening(id);
  }

  /** Returns the rooms that the viewer may read. */
  list(viewer: Viewer): readonly RoomView[] {
    const kept = [...this.#kept.values()].filter((room) => mayRead(viewer, room));
    const people = viewer === 'anyone' ? this.#deps.people.list() : [viewer];
    const agents = this.#deps.agents();
    const direct = people.flatMap((person) => agents.map((agent) => directRoom(person, agent)));
    return [...kept, ...direct.filter((room) => !this.#kept.has(room.id))];
  }

  find(id: string): RoomView | undefined {
    const kept = this.#kept.get(id);
    if (kept) return kept;
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
    return this.#inTurn(async () => {
      const same = wanted.members ? undefined : this.publicNamed(wanted.name);
      if (same) return same;
      const rooms = this.stored(({ kind }) => kind === 'room');
      const alike = rooms.filter(({ members, owner }) =>
        wanted.members ? members && owner === wanted.owner : !members,
      );
      if (alike.length >= ROOMS || rooms.length >= ALL_ROOMS) return undefined;
      return this.#save({ id: randomUUID(), ...wanted });
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
    return this.#inTurn(async () => this.#save(next()));
  }

  async #save(room: RoomView): Promise<RoomView> {
    const before = this.#kept.get(room.id)?.members ?? [];
    await this.#deps.store.saveRoom(room);
    this.#kept.set(room.id, room);
    this.#deps.feed.publish({ type: 'room', room });
    this.#sendAway(
      room.id,
      before.filter((person) => !room.members?.includes(person)),
    );
    return room;
  }

  #sendAway(room: string, people: readonly string[]): void {
    for (const person of people) this.#deps.feed.publish({ type: 'left', room, person });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(work);
    this.#changes = done.catch(() => undefined);
    return done;
  }

  /** Sets the title of a conversation after its first message was added, edited or deleted. */
  async retitle(id: string): Promise<void> {
    // Without its title, a conversation works all the same.
    if (await this.#setOpening(id).catch(() => false)) {
      const room = this.#kept.get(id);
      if (room) this.#deps.feed.publish({ type: 'room', room });
    }
  }

  /** Returns true if the first words of the conversation have changed. */
  async #setOpening(id: string): Promise<boolean> {
    if (this.#kept.get(id)?.kind !== 'direct') return false;
    const opening = openingOf(await this.#deps.store.messagesAfter(id, FIRST_MESSAGES));
    const room = this.#kept.get(id);
    if (!room || room.opening === opening) return false;
    const { opening: _before, ...rest } = room;
    this.#kept.set(id, { ...rest, ...(opening !== undefined && { opening }) });
    return true;
  }

  /** Returns the stored rooms for which `fits` returns true. */
  stored(fits: (room: RoomView) => boolean): readonly RoomView[] {
    return [...this.#kept.values()].filter(fits);
  }

  /** Deletes the stored rooms for which `fits` returns true. */
  drop(fits: (room: RoomView) => boolean): void {
    for (const { id, person, members = [] } of this.stored(fits)) {
      this.#deps.store.dropRoom(id);
      this.#kept.delete(id);
      this.#sendAway(id, person === undefined ? members : [person]);
    }
  }

  /** Removes the person from all rooms. */
  async forgetPerson(person: string): Promise<void> {
    for (const room of this.stored(({ owner, members }) => [owner, ...(members ?? [])].includes(person)))
      await this.change(() => withoutPerson(this.#kept.get(room.id) ?? room, person));
    await this.#deps.store.forgetMember(person);
  }

  /** Stores a new conversation, or the first conversation at its first message. Does nothing for other rooms. */
  keep(room: RoomView): void {
    if (room.kind !== 'direct' || this.#kept.has(room.id)) return;
    const stored = { ...room, at: this.#deps.clock.now() };
    this.#deps.store.addRoom(stored);
    this.#kept.set(room.id, stored);
  }
}

/** Number of messages among which the first words of a conversation are. */
const FIRST_MESSAGES = 5;

/** Matches the id of a direct room, as `directRoom` makes it. */
const DIRECT_ID = new RegExp(`^${DIRECT_THREAD}~([^~]+)~(.+)$`, 's');

/** Maximum UTF-16 units of a conversation's title. */
const TITLE_CHARS = 60;

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
