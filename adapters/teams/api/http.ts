/**
 * Makes one HTTP request to Microsoft's services. Does not repeat it or follow redirects, and limits its duration and
 * the response's size. The result states whether the request certainly was not sent, or may have arrived.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { outgoingAgent, timeLimit } from '../../../src/kit/ladder.ts';

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
  readonly headers: Readonly<IncomingHttpHeaders>;
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

export type Http = ReturnType<typeof createHttp>;

/** Maximum time to connect, in milliseconds; Microsoft's servers usually need less than 100 ms. */
const CONNECT_MS = 5_000;
/**
 * Maximum connections to one host. Teams allows 50 calls a second for each tenant. These need 15 connections if each
 * call takes 300 ms.
 */
const CONNECTIONS = 64;

export function createHttp() {
  const agent = outgoingAgent({
    connections: CONNECTIONS,
    allowH2: false,
    pipelining: 1,
    connectTimeout: CONNECT_MS,
    // `withinMs` limits the whole exchange, so these two limits are off.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    /** Sends the request. Rejects only if the signal aborts. */
    send: (request: HttpRequest, signal: AbortSignal) => exchange(agent, request, signal),
    close: () => agent.destroy(),
  };
}

function exchange(agent: Dispatcher, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  signal.throwIfAborted();
  const either = AbortSignal.any([signal, timeLimit(request.withinMs)]);
  return new Promise((resolve, reject) => {
    /** Set just before the request is written. */
    let sending: Dispatcher.DispatchController | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    let head = { status: 0, headers: {} };
    const settle = (answer: HttpAnswer): void => {
      either.removeEventListener('abort', abort);
      if (signal.aborted) reject(signal.reason);
      else resolve(answer);
    };
    const fail = (reason: string) => settle({ kind: sending === undefined ? 'unsent' : 'unknown', reason });
    const abort = () => {
      fail('late');
      sending?.abort(new Error('aborted'));
    };
    either.addEventListener('abort', abort, { once: true });
    agent.dispatch(optionsOf(request), {
      onRequestStart(controller) {
        if (either.aborted) controller.abort(new Error('aborted'));
        else sending = controller;
      },
      onResponseStart(_, status, headers) {
        head = { status, headers };
      },
      onResponseData(controller, chunk) {
        bytes += chunk.byteLength;
        if (bytes > request.limit) controller.abort(new Error('too-large'));
        else chunks.push(chunk);
      },
      onResponseEnd: () => settle({ kind: 'answered', ...head, body: Buffer.concat(chunks) }),
      onResponseError: (_, error) => fail(bytes > request.limit ? 'too-large' : reasonOf(error)),
    });
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

/** Returns a short error code of Node or of the HTTP parser, never text that a server sent. */
function reasonOf(error: Error): string {
  const code = 'code' in error ? String(error.code) : error.name;
  return /^\w{1,60}$/.test(code) ? code : 'failed';
}
