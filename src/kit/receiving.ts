/**
 * Acknowledges a channel's request within the channel's time limit, once the event is stored. Closes the connection
 * if the body was not read completely.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, within } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

export const OK: Answer = { status: 200 };
export const UNPROVEN: Answer = { status: 401 };
/** The response after which the channel sends the event again. */
export const REPEAT: Answer = { status: 503 };

const UNREAD = { 'too-large': 413, 'too-slow': 408, 'too-many': 503, broken: 400 } as const;

export const unread = (kind: Exclude<Read['kind'], 'whole'>): Answer => ({ status: UNREAD[kind] });

export function json(status: number, body: object): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

interface Receiving {
  /** Display name of the channel. */
  readonly channel: string;
  readonly log: Log;
}

/**
 * Returns a handler that responds to each request with the result of `receive`. If `receive` fails, the status of the
 * response makes the channel send the event again.
 */
export function receiver(
  receive: (request: IncomingMessage) => Promise<Answer>,
  { channel, log }: Receiving,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void receive(request)
      .catch((err: unknown): Answer => {
        log.error({ err }, `an event from ${channel} could not be saved; ${channel} will send it again`);
        return REPEAT;
      })
      .then((answer) => send(request, response, answer));
  };
}

interface Keeping extends Receiving {
  readonly clock: Clock;
  /**
   * Maximum milliseconds to store an event. After that, the request is refused, so that the channel sends the event
   * again.
   */
  readonly keepMs: number;
}

/**
 * Resolves with the response. If storing the event takes too long, resolves with a refusal; storing continues, and the
 * repeated event becomes the same turn.
 */
export async function inTime(storing: Promise<Answer>, keeping: Keeping): Promise<Answer> {
  const { clock, log, channel, keepMs } = keeping;
  const first = (await within(storing, keepMs, clock)) ?? REPEAT;
  if (first === REPEAT) {
    const seconds = keepMs / 1_000;
    log.warn(
      {},
      `saving an event from ${channel} took longer than ${seconds} s; ${channel} will send it again`,
    );
    storing.catch((err: unknown) => log.error({ err }, `an event from ${channel} could not be saved`));
  }
  return first;
}

/**
 * Sends the response. If the body of the request was not read completely, closes the connection, so that the remaining
 * bytes are never read.
 */
function send(request: IncomingMessage, response: ServerResponse, { status, type, body = '' }: Answer): void {
  if (response.destroyed) return;
  const heard = request.complete;
  response.writeHead(status, {
    ...(type !== undefined && { 'content-type': type }),
    'content-length': Buffer.byteLength(body),
    ...(!heard && { connection: 'close' }),
  });
  response.end(body, () => {
    if (!heard) request.destroy();
  });
}

/** Maximum size of a request's body, in bytes; far above the channels' largest events (attack S22). */
export const BODY_BYTES = 1024 * 1024;
/** Maximum milliseconds to receive a body; the connection of a slower sender is closed (attack S22). */
const BODY_MS = 10_000;
/** Maximum memory for the bodies of all unauthenticated requests together, in bytes. */
const HELD_BYTES = 64 * 1024 * 1024;

export type Read =
  | { readonly kind: 'whole'; readonly bytes: Buffer }
  | { readonly kind: 'too-large' | 'too-slow' | 'too-many' | 'broken' };

/**
 * Returns a function that reads whole bodies: `bytes`, or the reason why there are none. It never rejects. A body may
 * have 1 MiB and take 10 s (`too-large`, `too-slow`), and all bodies together 64 MiB of memory (`too-many`).
 * @example
 * ```ts
 * const read = createBodyReader(host.clock);
 * host.mount('/my-chat', async (request, response) => {
 *   const isKnown = isSameSecret(request.headers.authorization, 'Bearer a-long-secret');
 *   const body = await read(request);
 *   response.writeHead(isKnown && body.kind === 'whole' ? 200 : 400).end();
 * });
 * ```
 */
export function createBodyReader(clock: Clock): (request: IncomingMessage) => Promise<Read> {
  let held = 0;
  return async (request) => {
    if (Number(request.headers['content-length'] ?? 0) > BODY_BYTES) return { kind: 'too-large' };
    let own = 0;
    const take = (bytes: number): Read['kind'] => {
      own += bytes;
      held += bytes;
      if (own > BODY_BYTES) return 'too-large';
      return held > HELD_BYTES ? 'too-many' : 'whole';
    };
    try {
      return (await within(collect(request, take), BODY_MS, clock)) ?? { kind: 'too-slow' };
    } finally {
      held -= own;
    }
  };
}

function collect(request: IncomingMessage, take: (bytes: number) => Read['kind']): Promise<Read> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => {
      const kind = take(chunk.byteLength);
      if (kind === 'whole') return void chunks.push(chunk);
      request.pause();
      resolve({ kind });
    });
    request.once('end', () => resolve({ kind: 'whole', bytes: Buffer.concat(chunks) }));
    for (const end of ['error', 'close']) request.once(end, () => resolve({ kind: 'broken' }));
  });
}
