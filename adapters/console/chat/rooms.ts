import { randomUUID } from 'node:crypto';
import type { AgentCard } from '../../../src/kit.ts';
import type { ConsolePerson } from '../config.ts';
import { ROOMS } from '../limits.ts';
import type { RoomView } from '../wire.ts';
import type { Feed } from './feed.ts';
import { directRoom } from './inbound.ts';
import type { People } from './people.ts';
import { DIRECT_THREAD } from './records.ts';
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

/** True if the viewer may read the room: every room is public, except other people's direct rooms. */
export function mayRead(viewer: Viewer, room: RoomView): boolean {
  return viewer === 'anyone' || room.kind !== 'direct' || room.person === viewer.id;
}

interface Deps {
  readonly store: ChatStore;
  readonly feed: Feed;
  readonly people: People;
  agents(): readonly AgentCard[];
}

/**
 * The chat's rooms: stored ones, and a direct room for each person and agent, which is stored with its first message.
 */
export class Rooms {
  readonly #deps: Deps;
  readonly #kept = new Map<string, RoomView>();

  constructor(deps: Deps) {
    this.#deps = deps;
    for (const room of firstRooms) deps.store.addRoom(room);
    for (const room of deps.store.rooms()) this.#kept.set(room.id, room);
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
   * Returns the room with this name, and creates it if there is none. Returns undefined if there are too many rooms.
   */
  add(name: string, topic: string): RoomView | undefined {
    const rooms = [...this.#kept.values()].filter((room) => room.kind === 'room');
    const same = rooms.find((room) => room.name.toLowerCase() === name.toLowerCase());
    if (same) return same;
    if (rooms.length >= ROOMS) return undefined;
    const room: RoomView = { id: randomUUID(), name, topic, kind: 'room' };
    this.keep(room);
    this.#deps.feed.publish({ type: 'room', room });
    return room;
  }

  /** Returns the stored rooms for which `fits` returns true. */
  stored(fits: (room: RoomView) => boolean): readonly RoomView[] {
    return [...this.#kept.values()].filter(fits);
  }

  /** Deletes the stored rooms for which `fits` returns true. */
  drop(fits: (room: RoomView) => boolean): void {
    for (const { id } of this.stored(fits)) {
      this.#deps.store.dropRoom(id);
      this.#kept.delete(id);
    }
  }

  /** Stores a room unless it is stored already. Used for a new room, and for a direct room at its first message. */
  keep(room: RoomView): void {
    if (this.#kept.has(room.id)) return;
    this.#deps.store.addRoom(room);
    this.#kept.set(room.id, room);
  }
}

/** Matches the id of a direct room, as `directRoom` makes it. */
const DIRECT_ID = new RegExp(`^${DIRECT_THREAD}~([^~]+)~(.+)$`, 's');
