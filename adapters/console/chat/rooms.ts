import { randomUUID } from 'node:crypto';
import type { AgentCard } from '../../../src/kit.ts';
import type { ConsolePerson } from '../config.ts';
import { ROOMS } from '../limits.ts';
import type { RoomView } from '../wire.ts';
import type { Feed } from './feed.ts';
import { directRoom } from './inbound.ts';
import type { ChatStore } from './store.ts';

const firstRooms: readonly RoomView[] = [
  { id: 'general', name: 'general', topic: 'Everyone, everything', kind: 'room' },
  { id: 'support', name: 'support', topic: 'Questions about how things work', kind: 'room' },
  { id: 'random', name: 'random', topic: 'Everything else', kind: 'room' },
];

interface Deps {
  readonly store: ChatStore;
  readonly feed: Feed;
  readonly people: readonly ConsolePerson[];
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

  list(): readonly RoomView[] {
    const fresh = this.#direct().filter((room) => !this.#kept.has(room.id));
    return [...this.#kept.values(), ...fresh];
  }

  find(id: string): RoomView | undefined {
    return this.#kept.get(id) ?? this.#direct().find((room) => room.id === id);
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

  /** Stores a room unless it is stored already. Used for a new room, and for a direct room at its first message. */
  keep(room: RoomView): void {
    if (this.#kept.has(room.id)) return;
    this.#deps.store.addRoom(room);
    this.#kept.set(room.id, room);
  }

  #direct(): readonly RoomView[] {
    const agents = this.#deps.agents();
    return this.#deps.people.flatMap((person) => agents.map((agent) => directRoom(person, agent)));
  }
}
