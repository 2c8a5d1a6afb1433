import type { ConsoleEvent, NewEvent } from '../wire.ts';
import type { LiveEvents } from './ports.ts';

/** Maximum number and total bytes of events kept in memory for browsers that reconnect. */
const RING_EVENTS = 1_000;
const RING_BYTES = 2 * 1024 * 1024;

export interface Framed {
  readonly seq: number;
  /** Id of the room to which the event belongs. */
  readonly room: string;
  /** Id of the only person who receives the event; undefined if everyone who may read the room does. */
  readonly person: string | undefined;
  /** The event as a frame of server-sent events. All readers share the bytes. */
  readonly bytes: Buffer;
}

/** Numbers events, passes them to all readers, and keeps the newest ones for readers that reconnect. */
export class Feed implements LiveEvents {
  readonly #readers = new Set<(framed: Framed) => void>();
  readonly #ring: Framed[] = [];
  #weight = 0;
  #seq: number;
  /** Number of the newest event that was dropped from memory. */
  #floor: number;

  /** @param first the number of the first event minus one */
  constructor(first: number) {
    this.#seq = first;
    this.#floor = first;
  }

  get seq(): number {
    return this.#seq;
  }

  /**
   * Returns the number that the next event gets. If that event publishes a message, the message has this number as its
   * `seq`.
   */
  get next(): number {
    return this.#seq + 1;
  }

  publish(event: NewEvent): void {
    this.#seq += 1;
    const bytes = frame({ ...event, seq: this.#seq });
    const person = event.type === 'read' || event.type === 'left' ? event.person : undefined;
    const framed = { seq: this.#seq, room: roomOf(event), person, bytes };
    this.#ring.push(framed);
    this.#weight += framed.bytes.length;
    while (this.#ring.length > RING_EVENTS || this.#weight > RING_BYTES) this.#drop();
    for (const reader of this.#readers) reader(framed);
  }

  /** Drops all events from memory. Browsers that reconnect read everything again. */
  clear(): void {
    this.#ring.length = 0;
    this.#weight = 0;
    this.#floor = this.#seq;
  }

  /**
   * Returns the frames of the events after `since` that the reader may read; undefined if some events were dropped.
   */
  after(since: number, mayRead: (framed: Framed) => boolean = () => true): readonly Buffer[] | undefined {
    if (!(since >= this.#floor && since <= this.#seq)) return undefined;
    const missed = this.#ring.filter((framed) => framed.seq > since && mayRead(framed));
    return missed.map((framed) => framed.bytes);
  }

  /** Calls `reader` with each new event. Returns a function that stops this. */
  read(reader: (framed: Framed) => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  #drop(): void {
    const oldest = this.#ring.shift();
    if (!oldest) return;
    this.#weight -= oldest.bytes.length;
    this.#floor = oldest.seq;
  }
}

function roomOf(event: NewEvent): string {
  if (event.type === 'message') return event.message.room;
  if (event.type === 'room') return event.room.id;
  return event.type !== 'left' && 'room' in event ? event.room : '';
}

export function frame(event: ConsoleEvent): Buffer {
  return Buffer.from(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
}
