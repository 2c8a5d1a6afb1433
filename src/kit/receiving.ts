/** How a channel's request is answered: once it is kept, in time, and hung up on where nobody listens to the rest. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Read } from './body.ts';

export interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

export const OK: Answer = { status: 200 };
export const UNPROVEN: Answer = { status: 401 };
/** The channel sends it again. */
export const REPEAT: Answer = { status: 503 };

const UNREAD = { 'too-large': 413, 'too-slow': 408, 'too-many': 503, broken: 400 } as const;

export const unread = (kind: Exclude<Read['kind'], 'whole'>): Answer => ({ status: UNREAD[kind] });

export function json(status: number, body: object): Answer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

export interface Receiving {
  /** As people call it. */
  readonly channel: string;
  readonly log: Log;
}

/** Answers each request with what `receive` resolves with; where it fails, so that the channel sends it again. */
export function receiver(
  receive: (request: IncomingMessage) => Promise<Answer>,
  { channel, log }: Receiving,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    void receive(request)
      .catch((err: unknown): Answer => {
        log.error({ err }, `an event of ${channel} could not be kept; ${channel} sends it again`);
        return REPEAT;
      })
      .then((answer) => send(request, response, answer));
  };
}

export interface Keeping extends Receiving {
  readonly clock: Clock;
  /** Milliseconds; what takes longer is refused, so that the channel surely sends it again. */
  readonly keepMs: number;
}

/** The answer where it comes in time. Keeping goes on all the same: a repeated event is one turn. */
export async function inTime(kept: Promise<Answer>, keeping: Keeping): Promise<Answer> {
  const { clock, log, channel, keepMs } = keeping;
  const over = new AbortController();
  const late = clock.wait(keepMs, over.signal).then(
    () => REPEAT,
    () => REPEAT,
  );
  const first = await Promise.race([kept, late]).finally(() => over.abort());
  if (first === REPEAT) {
    const seconds = keepMs / 1_000;
    log.warn({}, `keeping an event of ${channel} took longer than ${seconds} s; ${channel} sends it again`);
    kept.catch((err: unknown) => log.error({ err }, `an event of ${channel} could not be kept`));
  }
  return first;
}

/** Whoever is not heard out is hung up on, so that the rest of the body is never read. */
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
