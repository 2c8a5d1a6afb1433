import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../../src/kit.ts';
import { type Feed, frame } from '../chat/feed.ts';
import { HttpRefusal } from '../refusal.ts';

/** Browsers that follow the events at one time. */
const STREAMS = 500;
/** Bytes waiting for one browser; beyond it the browser is dropped and comes back for a replay. */
const WAITING_BYTES = 4 * 1024 * 1024;
/** Proxies close what is silent for a minute. */
const BEAT_MS = 15_000;

/** Everybody who follows the console's events. */
export class Streams {
  readonly #feed: Feed;
  readonly #open = new Set<ServerResponse>();

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** Answers with the events after `since` (absent: from now), and all that come. */
  open(request: IncomingMessage, response: ServerResponse, since: number | undefined): void {
    if (this.#open.size >= STREAMS) {
      throw new HttpRefusal(
        503,
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
    const missed = this.#feed.after(since ?? this.#feed.seq);
    const begin = missed
      ? frame({ type: 'hello', seq: since ?? this.#feed.seq })
      : frame({ type: 'reload', seq: this.#feed.seq });
    response.write(Buffer.concat([Buffer.from('retry: 1000\n\n'), begin, ...(missed ?? [])]));
    const leave = this.#feed.read((bytes) => this.#send(response, bytes));
    this.#open.add(response);
    const end = () => {
      leave();
      this.#open.delete(response);
    };
    response.on('close', end);
    request.on('error', end);
    response.on('error', end);
  }

  /** Keeps the streams warm until the signal aborts. */
  async beat(clock: Clock, signal: AbortSignal): Promise<void> {
    const comment = Buffer.from(':\n\n');
    while (!signal.aborted) {
      await clock.wait(BEAT_MS, signal).catch(() => undefined);
      if (!signal.aborted) for (const response of this.#open) this.#send(response, comment);
    }
  }

  close(): void {
    for (const response of this.#open) response.end();
  }

  #send(response: ServerResponse, bytes: Buffer): void {
    if (response.writableLength > WAITING_BYTES) response.destroy();
    else response.write(bytes);
  }
}
