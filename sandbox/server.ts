import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Clock } from './clock.ts';
import type { Faults } from './faults/faults.ts';
import { fieldsOf, readJson } from './http/body.ts';
import { createServer } from './http/listen.ts';
import { type CallLog, mask } from './http/log.ts';
import type { Call, Lookup } from './http/operation.ts';
import { type Face, Refusal, type Reply, send } from './http/reply.ts';
import type { Options } from './options.ts';

interface ServerDeps {
  readonly find: (method: string, path: string) => Lookup;
  readonly faults: Faults;
  readonly options: Options;
  readonly log: CallLog;
  readonly clock: Clock;
  /** Path before every route, without a slash at the end; empty if there is none. */
  readonly basePath: string;
  /** Returns the configured address with the base path, without a slash at the end. */
  base(): string;
}

/** Creates the HTTP server. It finds the route, applies faults, and replies. No request can crash the process. */
export function createSandboxServer(deps: ServerDeps): Server {
  const limiter = createLimiter(deps.clock, () => deps.options.limitPerMinute);
  const server = createServer({ requestTimeout: 300_000, headersTimeout: 15_000 }, (request, response) => {
    void serve(deps, limiter, request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  });
  return server;
}

async function serve(
  deps: ServerDeps,
  limiter: () => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  request.on('error', () => closed.abort());
  response.setHeader('date', new Date(deps.clock.now()).toUTCString());
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const path = pathBelow(url.pathname, deps.basePath);
  const found = path === undefined ? 'unknown' : deps.find(request.method ?? 'GET', path);
  const face = typeof found === 'string' ? faceOf(path ?? '/') : found.route.face;
  const logged = deps.log.open(request, url, typeof found === 'string' ? undefined : found.route.id);
  const reply = await answer().catch((error: unknown) => deps.faults.refusal(face, refusalOf(error)));
  if (logged !== undefined) logged.status = reply.status;
  await send(response, reply, closed.signal);
  if (logged !== undefined) logged.complete = response.writableFinished;

  async function json(): Promise<unknown> {
    const body = await readJson(request);
    if (logged !== undefined) logged.body = mask(body ?? null);
    return body;
  }

  async function answer(): Promise<Reply> {
    if (typeof found === 'string') throw notServed(found, request.method ?? 'GET', url.pathname);
    const { route, params } = found;
    const call: Call = {
      request,
      params,
      query: url.searchParams,
      base: deps.base(),
      signal: closed.signal,
      fields: async () => fieldsOf(await json()),
      json,
    };
    if (route.control) {
      refuseRemote(request);
      return await route.handle(call);
    }
    const waitSeconds = limiter();
    if (waitSeconds > 0)
      throw new Refusal(429, 429, 'Too many requests.', { 'retry-after': String(waitSeconds) });
    return await deps.faults.run(route, call);
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  process.stderr.write(
    `sandbox: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown error'}\n`,
  );
  return new Refusal(500, 50001, 'Internal error. Please contact the administrator.');
}

function notServed(found: 'unknown' | 'wrong-method', method: string, path: string): Refusal {
  return found === 'unknown'
    ? new Refusal(404, 404, `There is no route ${path}.`)
    : new Refusal(405, 405, `The route ${path} does not accept ${method}.`);
}

const faceOf = (path: string): Face => (/^\/(v1\/)?openapi(\/|$)/.test(path) ? 'open' : 'lite');

function pathBelow(path: string, basePath: string): string | undefined {
  if (basePath === '') return path;
  // The sandbox prints its address without a slash at the end, so requests to that address must work too.
  if (path === basePath) return '/';
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}

const LOOPBACK_NAME = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/;

/**
 * Refuses control requests from other machines. Also refuses requests with another host name or with an Origin header,
 * because a web page could have sent them (DNS rebinding).
 */
function refuseRemote(request: IncomingMessage): void {
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const isLoopback = address === '::1' || address.startsWith('127.');
  if (
    !isLoopback ||
    !LOOPBACK_NAME.test(request.headers.host ?? '') ||
    request.headers.origin !== undefined
  ) {
    throw new Refusal(403, 403, 'Control routes accept requests from the loopback address only.');
  }
}

/**
 * Limits requests in fixed windows of one minute (platform contract LIM-11: rates). The returned function gives the
 * seconds to wait, or 0 if the request may run.
 */
function createLimiter(clock: Clock, limitPerMinute: () => number): () => number {
  let windowStart = 0;
  let used = 0;
  return () => {
    const limit = limitPerMinute();
    if (limit === 0) return 0;
    const now = clock.now();
    if (now - windowStart >= 60_000) {
      windowStart = now;
      used = 0;
    }
    used += 1;
    return used <= limit ? 0 : Math.max(1, Math.ceil((windowStart + 60_000 - now) / 1000));
  };
}
