import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Fields } from './json.ts';

/** One request on its way through a route. */
export interface Call {
  readonly request: IncomingMessage;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Configured address of the sandbox, without a trailing slash. A Host header never changes it. */
  readonly base: string;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
  /** Reads and decodes the JSON body; a route authenticates before it calls this. */
  fields(): Promise<Fields>;
  /** Like `fields`, for bodies that may be something else than an object; undefined for an empty one. */
  json(): Promise<unknown>;
}

export function header(call: Call, name: string): string | undefined {
  const value = call.request.headers[name];
  const text = Array.isArray(value) ? value[0] : value;
  return text === undefined || text === '' ? undefined : text;
}

/** The path parameter `name`; a route asks only for parameters of its own path. */
export const param = (call: Call, name: string): string => call.params[name] ?? '';

/** Compares in constant time; texts of different length are different. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
