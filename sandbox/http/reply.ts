import { formatJson } from './json.ts';

/** What a route answers. A body that is iterable is streamed; each chunk is one event of the stream. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
}

/** Which envelope a route speaks (platform contract GEN-3, GEN-4); `plain` routes have none. */
export type Face = 'lite' | 'open' | 'plain';

export const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonReply(body: unknown, status = 200): Reply {
  return { status, headers: { 'content-type': JSON_TYPE }, body: formatJson(body) };
}

export const liteEnvelope = (data: unknown, code = 200, message = 'success') => ({ code, message, data });
export const openEnvelope = (data: unknown, msg: string | null = '') => ({ success: true, msg, data });

export const liteReply = (data: unknown): Reply => jsonReply(liteEnvelope(data));
export const openReply = (data: unknown): Reply => jsonReply(openEnvelope(data));

export function refusalBody(face: Face, refusal: Refusal): unknown {
  if (face === 'open') return { success: false, msg: refusal.message, data: null };
  return { code: refusal.code, message: refusal.message, data: null };
}

/** A request that the sandbox refuses, with the status and lite code to answer (platform contract ERR-1, ERR-2). */
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
  new Refusal(400, 40001, `The parameter ${member} is missing.`);
export const invalid = (sentence: string): Refusal => new Refusal(400, 422, sentence);
export const unauthorized = (sentence: string): Refusal => new Refusal(401, 401, sentence);
export const tooLarge = (limit: number): Refusal =>
  new Refusal(413, 413, `The body is larger than ${limit} bytes.`, { connection: 'close' });

/** An Open API business failure: HTTP 200 with `success` false (platform contract ERR-4). */
export const declined = (sentence: string): Refusal => new Refusal(200, 422, sentence);

/** Thrown into a response that has begun: the connection is destroyed instead of ended. */
export class Cut extends Error {}
