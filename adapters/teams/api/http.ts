/**
 * One HTTP request to Microsoft's services: never repeated here, no redirect followed, its time and its answer's size
 * bounded. It tells what surely never left from what may have arrived.
 */

import { Agent, type Dispatcher } from 'undici';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes that the answer may have. */
  readonly limit: number;
  /** Milliseconds that the whole exchange may take. */
  readonly withinMs: number;
}

export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type HttpAnswer =
  | Answered
  /** No byte of the request left: refused, no such name, no secure connection, given up while waiting for one. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** It may have arrived. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Http {
  /** Rejects only with the signal's reason. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Milliseconds for a connection; Microsoft's edge answers in some tens. */
const CONNECT_MS = 5_000;
/** Connections to one host: more than the 50 calls a second of a tenant need at 300 ms each. */
const CONNECTIONS = 64;

export function createHttp(): Http {
  const agent = new Agent({
    connections: CONNECTIONS,
    allowH2: false,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    // The deadline of the whole exchange bounds both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (request, signal) => exchange(agent, request, signal),
    close: () => agent.destroy(),
  };
}

function exchange(agent: Agent, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(request.withinMs);
  const either = AbortSignal.any([signal, deadline]);
  return new Promise((resolve, reject) => {
    let left = false;
    let stop: (reason: Error) => void = () => undefined;
    const abort = () => {
      settle({ kind: left ? 'unknown' : 'unsent', reason: 'late' });
      stop(new Error('aborted'));
    };
    const settle = (answer: HttpAnswer): void => {
      either.removeEventListener('abort', abort);
      if (signal.aborted) reject(signal.reason);
      else resolve(answer);
    };
    either.addEventListener('abort', abort, { once: true });
    agent.dispatch(
      optionsOf(request),
      collector(request.limit, {
        began(controller) {
          stop = (reason) => controller.abort(reason);
          if (either.aborted) stop(new Error('aborted'));
          else left = true;
        },
        ended: settle,
        failed: (reason) => settle({ kind: left ? 'unknown' : 'unsent', reason }),
      }),
    );
  });
}

function optionsOf({ method, url, headers, body }: HttpRequest): Dispatcher.DispatchOptions {
  const { origin, pathname, search } = new URL(url);
  return {
    origin,
    path: `${pathname}${search}`,
    method,
    headers: { 'accept-encoding': 'identity', 'user-agent': 'parley', ...headers },
    body: body ?? null,
  };
}

interface Told {
  /** The request is about to be written. */
  began(controller: Dispatcher.DispatchController): void;
  ended(answer: HttpAnswer): void;
  failed(reason: string): void;
}

function collector(limit: number, told: Told): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let head = { status: 0, headers: {} };
  return {
    onRequestStart: (controller) => told.began(controller),
    onResponseStart(_, status, headers) {
      head = { status, headers: flat(headers) };
    },
    onResponseData(controller, chunk) {
      bytes += chunk.byteLength;
      if (bytes > limit) controller.abort(new Error('too-large'));
      else chunks.push(chunk);
    },
    onResponseEnd: () => told.ended({ kind: 'answered', ...head, body: Buffer.concat(chunks) }),
    onResponseError: (_, error) => told.failed(bytes > limit ? 'too-large' : reasonOf(error)),
  };
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value[0] : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
}

/** A short word of Node's or of the parser's, never text that came over the wire. */
function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.name;
  return /^\w{1,60}$/.test(code) ? code : 'failed';
}
