import type { ConsoleEvent } from '../wire.ts';

/** Maximum number and total bytes of events kept in memory for browsers that reconnect. */
const RING_EVENTS = 1_000;
const RING_BYTES = 2 * 1024 * 1024;

/** An event without its number. */
type Unnumbered<E = ConsoleEvent> = E extends ConsoleEvent ? Omit<E, 'seq'> : never;

interface Framed {
  readonly seq: number;
  /** The event as a frame of server-sent events. All readers share the bytes. */
  readonly bytes: Buffer;
}

/** Numbers events, passes them to all readers, and keeps the newest ones for readers that reconnect. */
export class Feed {
  readonly #readers = new Set<(bytes: Buffer) => void>();
  readonly #ring: Framed[] = [];
  #weight = 0;
  #seq: number;
  /** Number of the newest event that was dropped from memory. */
  #floor: number;

  /** @param first the number before that of the first event */
  constructor(first: number) {
    this.#seq = first;
    this.#floor = first;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Returns the number that the next event gets. A message that this event publishes has it as `seq`. */
  get next(): number {
    return this.#seq + 1;
  }

  publish(event: Unnumbered): void {
    this.#seq += 1;
    const framed = { seq: this.#seq, bytes: frame({ ...event, seq: this.#seq }) };
    this.#ring.push(framed);
    this.#weight += framed.bytes.length;
    while (this.#ring.length > RING_EVENTS || this.#weight > RING_BYTES) this.#drop();
    for (const reader of this.#readers) reader(framed.bytes);
  }

  /** Returns the frames of all events after `since`; undefined if some of them were dropped. */
  after(since: number): readonly Buffer[] | undefined {
    if (!(since >= this.#floor && since <= this.#seq)) return undefined;
    return this.#ring.filter((framed) => framed.seq > since).map((framed) => framed.bytes);
  }

  /** Calls `reader` with each new frame. Returns a function that stops this. */
  read(reader: (bytes: Buffer) => void): () => void {
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

export function frame(event: ConsoleEvent): Buffer {
  return Buffer.from(`id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`);
}
