import type { IncomingMessage, ServerResponse } from 'node:http';
import { createShares } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import { type Feed, type Framed, frame } from '../chat/feed.ts';
import { asRefusal, HttpRefusal } from '../refusal.ts';
import type { Lease } from './gate.ts';

/**
 * Maximum number of browsers that receive events at the same time. Lower than the number of connections that the bridge
 * accepts (5,000), so that a connection is left for other requests.
 */
const STREAMS = 4_000;
/** Maximum number of browsers in which one person receives events. All tabs of a browser share one stream. */
const STREAMS_OF_ONE = 20;
/**
 * Maximum bytes queued for one browser. Beyond it, the connection is closed. The browser then reconnects and asks for
 * the events it missed.
 */
const WAITING_BYTES = 4 * 1024 * 1024;
/**
 * Interval between keep-alive comments, in milliseconds, because proxies close a silent stream after about a minute.
 */
const BEAT_MS = 15_000;
/** Maximum sign-ins that are confirmed at the same time, so that the identity provider does not get thousands of requests. */
const CONFIRMED_AT_ONCE = 50;

interface Subscription extends Lease {
  readonly since: number | undefined;
  /** Id of the person who signed in; undefined if the console cannot tell people apart. */
  readonly person?: string | undefined;
  /** True if the reader may read the event. */
  readonly mayRead: (event: Pick<Framed, 'room' | 'person'>) => boolean;
}

/** The open streams of events. Each open page has one. */
export class Streams {
  readonly #feed: Feed;
  readonly #open = new Map<ServerResponse, Lease>();
  readonly #take = createShares(STREAMS_OF_ONE);

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** Opens a stream. Sends the events after number `since` first (none if `since` is absent), then each new event. */
  open(
    request: IncomingMessage,
    response: ServerResponse,
    { since, person, mayRead, ...lease }: Subscription,
  ): void {
    const release = person === undefined ? () => undefined : this.#take(person);
    if (release === undefined || this.#open.size >= STREAMS) {
      release?.();
      throw new HttpRefusal(
        429,
        'too-many-streams',
        'Too many pages of this console are open. Close one, then reload this page.',
        10,
      );
    }
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    });
    const missed = this.#feed.after(since ?? this.#feed.seq, mayRead);
    const begin = missed
      ? frame({ type: 'hello', seq: since ?? this.#feed.seq })
      : frame({ type: 'reload', seq: this.#feed.seq });
    // All streams share the bytes of an event, so many streams that nobody reads need little memory.
    for (const bytes of [Buffer.from('retry: 1000\n\n'), begin, ...(missed ?? [])]) response.write(bytes);
    const leave = this.#feed.read((framed) => mayRead(framed) && this.#send(response, framed.bytes));
    this.#open.set(response, lease);
    response.once('close', () => {
      leave();
      release();
      this.#open.delete(response);
    });
    for (const each of [request, response]) each.on('error', () => response.destroy());
  }

  /** Until the signal aborts, sends keep-alive comments and ends the streams whose sign-in has ended. */
  async beat(clock: Clock, signal: AbortSignal): Promise<void> {
    const comment = Buffer.from(':\n\n');
    while (!signal.aborted) {
      await clock.wait(BEAT_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      this.endInvalid();
      for (const response of this.#open.keys()) this.#send(response, comment);
      await this.#confirmAll();
    }
  }

  /** Ends the streams whose readers are not confirmed. */
  async #confirmAll(): Promise<void> {
    const all = [...this.#open];
    while (all.length > 0) {
      const some = all.splice(0, CONFIRMED_AT_ONCE);
      await Promise.all(
        some.map(([response, lease]) =>
          lease.confirm?.().catch((thrown: unknown) => {
            // While the store is down, nothing says that the reader may no longer read.
            if (asRefusal(thrown)?.code !== 'store-unavailable') response.end();
          }),
        ),
      );
    }
  }

  /** Ends the streams whose sign-in has ended. */
  endInvalid(): void {
    for (const [response, lease] of [...this.#open]) if (!lease.isValid()) response.end();
  }

  close(): void {
    for (const response of this.#open.keys()) response.end();
  }

  #send(response: ServerResponse, bytes: Buffer): void {
    if (response.writableLength > WAITING_BYTES) response.destroy();
    else response.write(bytes);
  }
}
