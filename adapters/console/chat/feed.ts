import type { ConsoleEvent } from '../wire.ts';

/** Maximum number and bytes of the events that are kept for browsers that reconnect. */
const RING_EVENTS = 1_000;
const RING_BYTES = 2 * 1024 * 1024;

/** An event without its number. */
type Unnumbered<E = ConsoleEvent> = E extends ConsoleEvent ? Omit<E, 'seq'> : never;

interface Framed {
  readonly seq: number;
  /** One frame of server-sent events, shared by all its readers. */
  readonly bytes: Buffer;
}

/** Numbers the events, passes them to any number of readers, and keeps the newest for replay. */
export class Feed {
  readonly #readers = new Set<(bytes: Buffer) => void>();
  readonly #ring: Framed[] = [];
  #weight = 0;
  #seq: number;
  /** The newest number that can no longer be replayed. */
  #floor: number;

  /** @param first the number before that of the first event */
  constructor(first: number) {
    this.#seq = first;
    this.#floor = first;
  }

  get seq(): number {
    return this.#seq;
  }

  /** The number of the next event; the `seq` of a message that this event publishes. */
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

  /** Returns the frames after `since`, or undefined if some of them are no longer kept. */
  after(since: number): readonly Buffer[] | undefined {
    if (!(since >= this.#floor && since <= this.#seq)) return undefined;
    return this.#ring.filter((framed) => framed.seq > since).map((framed) => framed.bytes);
  }

  /** Calls `reader` with each new frame. Returns a function that unsubscribes the reader. */
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
