import type { ConsolePerson } from '../config.ts';
import type { Session } from '../identity/sessions.ts';
import type { ConsoleEvent, NewEvent, RoomView } from '../wire.ts';

/** Maximum number and total bytes of events kept in memory for browsers that reconnect. */
const RING_EVENTS = 1_000;
const RING_BYTES = 2 * 1024 * 1024;

/** A change of what each process knows about rooms, people and sign-ins. Pages do not receive it. */
export type InnerEvent =
  | { readonly type: 'room-stored'; readonly room: RoomView }
  | { readonly type: 'room-dropped'; readonly id: string }
  | { readonly type: 'person-stored'; readonly person: ConsolePerson }
  | { readonly type: 'person-dropped'; readonly id: string }
  | { readonly type: 'session-stored'; readonly session: Session }
  | { readonly type: 'sessions-ended'; readonly keys: readonly string[] }
  /** The events before this one are dropped. */
  | { readonly type: 'events-cleared' };

const INNER: ReadonlySet<string> = new Set<InnerEvent['type']>([
  'room-stored',
  'room-dropped',
  'person-stored',
  'person-dropped',
  'session-stored',
  'sessions-ended',
  'events-cleared',
]);

export const isInner = (event: NewEvent | InnerEvent): event is InnerEvent => INNER.has(event.type);

export interface Framed {
  readonly seq: number;
  /** Id of the room to which the event belongs. */
  readonly room: string;
  /** Id of the only person who receives the event; undefined if everyone who may read the room does. */
  readonly person: string | undefined;
  /** The event as a frame of server-sent events. All readers share the bytes. */
  readonly bytes: Buffer;
}

/** A part of this process that knows rooms, people or sign-ins. */
export interface Follower {
  apply(event: NewEvent | InnerEvent): void;
  /** Reads everything again, because events were missed. */
  load(): Promise<void>;
  /** Called when the events of other processes no longer arrive. */
  lost?(): void;
}

/** Passes numbered events to all readers, and keeps the newest ones for readers that reconnect. */
export class Feed {
  readonly #readers = new Set<(framed: Framed) => void>();
  readonly #followers: Follower[] = [];
  readonly #ring: Framed[] = [];
  #weight = 0;
  #seq: number;
  /** Number of the newest event that was dropped from memory. */
  #floor: number;
  #isLost = false;

  /** @param first the number of the first event minus one */
  constructor(first: number) {
    this.#seq = first;
    this.#floor = first;
  }

  get seq(): number {
    return this.#seq;
  }

  /** True while the events of other processes do not arrive. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Tells the followers, once, that the events of other processes no longer arrive. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    for (const follower of this.#followers) follower.lost?.();
  }

  /** Called when the events of other processes arrive again. */
  recover(): void {
    this.#isLost = false;
  }

  /** Adds a part that learns each event before the readers do. */
  follow(follower: Follower): void {
    this.#followers.push(follower);
  }

  /** @param event undefined for a number whose event was deleted */
  publish(event: NewEvent | InnerEvent | undefined, seq: number): void {
    this.#seq = seq;
    if (event === undefined) return;
    if (event.type === 'events-cleared') this.clear();
    for (const follower of this.#followers) follower.apply(event);
    if (isInner(event)) return;
    const framed = this.#keep(event, seq);
    for (const reader of this.#readers) reader(framed);
  }

  /** Keeps an event from before this process began, for readers that reconnect. */
  restore(event: NewEvent | InnerEvent | undefined, seq: number): void {
    this.#seq = seq;
    if (event !== undefined && !isInner(event)) this.#keep(event, seq);
  }

  #keep(event: NewEvent, seq: number): Framed {
    const bytes = frame({ ...event, seq });
    const person = event.type === 'read' || event.type === 'left' ? event.person : undefined;
    const framed = { seq, room: roomOf(event), person, bytes };
    this.#ring.push(framed);
    this.#weight += framed.bytes.length;
    while (this.#ring.length > RING_EVENTS || this.#weight > RING_BYTES) this.#drop();
    return framed;
  }

  /** Drops all events from memory. Browsers that reconnect read everything again. */
  clear(): void {
    this.#ring.length = 0;
    this.#weight = 0;
    this.#floor = this.#seq;
  }

  /** Continues after missed events. */
  async skipTo(seq: number): Promise<void> {
    for (const follower of this.#followers) await follower.load();
    this.#seq = seq;
    this.clear();
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
