import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { systemClock } from '../clock.ts';
import { formatJson } from './json.ts';

/** A route's response. If the body is iterable, it is streamed, with one event of the stream per chunk. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Envelope of a route's response (platform contract GEN-3, GEN-4: envelopes); `plain` means no envelope. */
export type Face = 'lite' | 'open' | 'plain';

export function jsonReply(body: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: formatJson(body) };
}

export const liteEnvelope = (data: unknown, code = 200) => ({ code, message: 'success', data });
export const openEnvelope = (data: unknown) => ({ success: true, msg: '', data });

export const liteReply = (data: unknown): Reply => jsonReply(liteEnvelope(data));
export const openReply = (data: unknown): Reply => jsonReply(openEnvelope(data));

export function refusalBody(face: Face, refusal: Refusal): unknown {
  if (face === 'open') return { success: false, msg: refusal.message, data: null };
  return { code: refusal.code, message: refusal.message, data: null };
}

/**
 * Thrown to refuse a request. `status` is the HTTP status of the answer (platform contract ERR-2: statuses). `code` is
 * the error code in its body, which only the lite interface sends (ERR-1: codes).
 */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const missing = (member: string): Refusal =>
  new Refusal(400, 40001, `The parameter "${member}" is missing.`);
export const invalid = (sentence: string): Refusal => new Refusal(400, 422, sentence);
export const unauthorized = (sentence: string): Refusal => new Refusal(401, 401, sentence);
export const tooLarge = (limit: number): Refusal =>
  new Refusal(413, 413, `The body is larger than ${limit} bytes.`, { connection: 'close' });

/** Makes a failure of the Open API: HTTP 200 with `success` false (platform contract ERR-4). */
export const declined = (sentence: string): Refusal => new Refusal(200, 422, sentence);

/**
 * Returns `found`. If `found` is undefined, refuses the request. `what` names the missing thing in the refusal, such as
 * `file 7`.
 */
export function known<T>(found: T | undefined, what: string, refusal = declined): T {
  if (found === undefined) throw refusal(`The ${what} is unknown.`);
  return found;
}

/**
 * Time for which a refused upload is still read, in milliseconds. If reading stopped at once, the sender would not
 * receive the refusal.
 */
const DRAIN_MS = 1_000;

/**
 * Writes a reply no faster than the caller reads it. An error in a stream destroys the connection, so that the caller
 * sees that the answer was cut.
 */
export async function send(response: ServerResponse, reply: Reply, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  if (typeof reply.body === 'string' || reply.body instanceof Uint8Array) {
    response.writeHead(reply.status, { 'content-length': Buffer.byteLength(reply.body), ...reply.headers });
    response.end(reply.body);
    if (reply.headers.connection === 'close') closeSoon(response);
    return;
  }
  response.writeHead(reply.status, { ...reply.headers });
  response.flushHeaders();
  try {
    for await (const chunk of reply.body) {
      if (signal.aborted) break;
      if (!response.write(chunk)) await once(response, 'drain', { signal }).catch(() => undefined);
    }
    response.end();
    if (!response.writableFinished) await once(response, 'finish', { signal }).catch(() => undefined);
  } catch {
    response.destroy();
  }
}

function closeSoon(response: ServerResponse): void {
  const request = response.req;
  request.resume();
  const closed = new AbortController();
  request.on('close', () => closed.abort());
  void systemClock.sleep(DRAIN_MS, closed.signal).then(() => request.destroy());
}
