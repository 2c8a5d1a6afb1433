/**
 * Makes one HTTP request to Microsoft's services. Does not repeat it or follow redirects, and limits its duration and
 * the response's size. The result states whether the request certainly was not sent, or may have arrived.
 */

import { Agent, type Dispatcher } from 'undici';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum bytes of the response. */
  readonly limit: number;
  /** Maximum duration from the start of the connection to the end of the response, in milliseconds. */
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
  /**
   * Nothing was sent: the host is unknown, the connection was refused, TLS failed, or the time was over before a
   * connection existed.
   */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** The request may have arrived. */
  | { readonly kind: 'unknown'; readonly reason: string };

export interface Http {
  /** Sends the request. Rejects only if the signal aborts. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** Maximum time to connect, in milliseconds; Microsoft's servers usually need less than 100 ms. */
const CONNECT_MS = 5_000;
/**
 * Maximum connections to one host. Teams allows 50 calls a second for each tenant. These need 15 connections if each
 * call takes 300 ms.
 */
const CONNECTIONS = 64;

export function createHttp(): Http {
  const agent = new Agent({
    connections: CONNECTIONS,
    allowH2: false,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    // `withinMs` limits the whole exchange, so these two limits are off.
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

interface Callbacks {
  /** Called just before the request is written. */
  began(controller: Dispatcher.DispatchController): void;
  ended(answer: HttpAnswer): void;
  failed(reason: string): void;
}

function collector(limit: number, callbacks: Callbacks): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let head = { status: 0, headers: {} };
  return {
    onRequestStart: (controller) => callbacks.began(controller),
    onResponseStart(_, status, headers) {
      head = { status, headers: firstValues(headers) };
    },
    onResponseData(controller, chunk) {
      bytes += chunk.byteLength;
      if (bytes > limit) controller.abort(new Error('too-large'));
      else chunks.push(chunk);
    },
    onResponseEnd: () => callbacks.ended({ kind: 'answered', ...head, body: Buffer.concat(chunks) }),
    onResponseError: (_, error) => callbacks.failed(bytes > limit ? 'too-large' : reasonOf(error)),
  };
}

function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value[0] : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
}

/** Returns a short error code of Node or of the HTTP parser, never text that a server sent. */
function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.name;
  return /^\w{1,60}$/.test(code) ? code : 'failed';
}
