import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from './clock.ts';
import { refusalReply } from './dialect/error.ts';
import type { Faults } from './faults/faults.ts';
import { readFields, readJson } from './http/body.ts';
import type { Call } from './http/call.ts';
import { createLimiter } from './http/limiter.ts';
import type { CallLog, LoggedCall } from './http/log.ts';
import { Refusal } from './http/refusal.ts';
import type { Face, Reply } from './http/reply.ts';
import type { Lookup, Route } from './http/router.ts';
import { send } from './http/send.ts';
import type { Options } from './options.ts';

export interface ServerParts {
  readonly find: (method: string, path: string) => Lookup;
  readonly faults: Faults;
  readonly options: Options;
  readonly log: CallLog;
  readonly clock: Clock;
  /** Path in front of every route, without a trailing slash; empty for none. */
  readonly basePath: string;
  /** Configured address, with the base path and without a trailing slash. */
  base(): string;
}

/** The HTTP server: finds the route, lets faults happen, answers. A request never brings the process down. */
export function createSandboxServer(parts: ServerParts): Server {
  const limiter = createLimiter(parts.clock, () => parts.options.limitPerMinute);
  const server = createServer({ requestTimeout: 300_000, headersTimeout: 15_000 }, (request, response) => {
    void serve(parts, limiter, request, response).catch(() => response.destroy());
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  });
  return server;
}

async function serve(
  parts: ServerParts,
  limiter: () => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  request.on('error', () => gone.abort());
  response.setHeader('date', new Date(parts.clock.now()).toUTCString());
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const path = pathBelow(url.pathname, parts.basePath);
  const found = path === undefined ? 'unknown' : parts.find(request.method ?? 'GET', path);
  const face = typeof found === 'string' ? faceOf(path ?? '/') : found.route.face;
  const logged = parts.log.open(request, url, typeof found === 'string' ? undefined : found.route.id);
  const reply = await answer().catch((error: unknown) => failure(face, error, parts.options));
  logged?.answered(reply.status);
  await send(response, reply, gone.signal);
  logged?.closed(response.writableFinished);

  async function answer(): Promise<Reply> {
    if (typeof found === 'string') throw notServed(found, request.method ?? 'GET', url.pathname);
    const { route, params } = found;
    const call: Call = {
      request,
      params,
      query: url.searchParams,
      base: parts.base(),
      signal: gone.signal,
      fields: () => readFields(request).then(noted(logged)),
      json: () => readJson(request).then(noted(logged)),
    };
    if (route.control) {
      refuseFromAfar(request);
      return await route.handle(call);
    }
    const waitSeconds = limiter();
    if (waitSeconds > 0)
      throw new Refusal(429, 429, 'Too many requests.', { 'retry-after': String(waitSeconds) });
    return await handleWithFaults(parts.faults, route, call);
  }
}

async function handleWithFaults(faults: Faults, route: Route, call: Call): Promise<Reply> {
  const fault = faults.take(route.id);
  if (fault === undefined) return await route.handle(call);
  const instead = await fault.before(call);
  return instead ?? fault.after(await route.handle(call), call);
}

const noted =
  (logged: LoggedCall | undefined) =>
  <T>(body: T): T => {
    logged?.body(body);
    return body;
  };

function failure(face: Face, error: unknown, options: Options): Reply {
  if (error instanceof Refusal) return refusalReply(face, error, options.dialect.error);
  process.stderr.write(
    `sandbox: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown error'}\n`,
  );
  const refusal = new Refusal(500, 50001, 'Internal error. Please contact the administrator.');
  return refusalReply(face, refusal, options.dialect.error);
}

function notServed(found: 'unknown' | 'wrong-method', method: string, path: string): Refusal {
  return found === 'unknown'
    ? new Refusal(404, 404, `There is no route ${path}.`)
    : new Refusal(405, 405, `The route ${path} does not take ${method}.`);
}

const faceOf = (path: string): Face => (/^\/(v1\/)?openapi(\/|$)/.test(path) ? 'open' : 'lite');

function pathBelow(path: string, basePath: string): string | undefined {
  if (basePath === '') return path;
  // The address that the sandbox prints has no slash at its end.
  if (path === basePath) return '/';
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : undefined;
}

const LOOPBACK_NAME = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/;

/** Control routes answer to this machine only, and not to a page that reached it under another name. */
function refuseFromAfar(request: IncomingMessage): void {
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  const near = address === '::1' || address.startsWith('127.');
  if (!near || !LOOPBACK_NAME.test(request.headers.host ?? '') || request.headers.origin !== undefined) {
    throw new Refusal(403, 403, 'Control routes answer to the loopback address only.');
  }
}
