import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { Handler } from '../core/channel/host.ts';
import { type Clock, within } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { catalogue } from '../errors.ts';
import { type ClientLimits, limitRequests, shareConnections } from './clients.ts';
import type { EmbeddedHandler } from './embedded-handler.ts';
import { type MediaDeps, mediaRoute } from './media-route.ts';
import { limitPipelining } from './pipelining.ts';
import { createServer, listen, type Place } from './port.ts';
import { type SourceDeps, sourceRoute } from './source-page.ts';

/** Maximum milliseconds to receive a request's headers, and to receive the whole request (attack S22). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 120_000;
const CHECK_EVERY_MS = 1_000;
/**
 * Milliseconds for which an idle connection stays open: longer than proxies keep theirs, so that no proxy sends a request
 * into a connection that is just being closed, and answers 502. nginx's upstreams and AWS load balancers use 60 s, Caddy
 * two minutes (`IdleConnTimeout` of its HTTPTransport).
 */
const KEEP_ALIVE_MS = 125_000;
const HEADER_BYTES = 16 * 1024;
const HEADERS = 100;
/** Maximum number of concurrent connections. Each open console uses one connection for its events. */
const CONNECTIONS = 5_000;

/** Returns the reasons why the bridge is not ready; empty if it is ready. */
type Readiness = () => Promise<readonly string[]>;

export interface WebDeps {
  readonly place: Place;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Token that requests to `/metrics` must contain; absent if none is needed. */
  readonly metricsToken?: { reveal(): string } | undefined;
  readonly version?: string | undefined;
  readonly media: Omit<MediaDeps, 'log'>;
  readonly sources: Omit<SourceDeps, 'log'>;
  readonly readiness: Readiness;
  /** Writer of the answers, which `/readyz` names: configured platforms, or the sandbox. */
  readonly answeredBy?: 'platform' | 'sandbox';
  readonly clients?: ClientLimits;
}

export type WebServer = ReturnType<typeof createWebServer>;

/** Creates the bridge's HTTP server. */
export function createWebServer(deps: WebDeps) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const { clients = {}, clock, log } = deps;
  app.set('trust proxy', [...(clients.trustedProxies ?? [])]);
  const server = createServer(
    { maxHeaderSize: HEADER_BYTES, connectionsCheckingInterval: CHECK_EVERY_MS },
    limitPipelining(limitRequests(app, clients, clock)),
  );
  setLimits(server);
  let draining = false;
  app.use(identify);
  shareConnections(server, app, { ...clients, clock, log });
  operatorRoutes(app, deps, () => draining);
  app.use('/media', mediaRoute({ ...deps.media, log: deps.log }));
  app.use('/sources', sourceRoute({ ...deps.sources, log: deps.log }));
  const others: RequestHandler[] = [];
  return {
    /**
     * Serves everything under `path`. The handler sees addresses without this prefix and reads the raw body itself. A
     * handler for `/` gets the requests that no other path matches, whatever the order of the calls to `mount`.
     */
    mount(path: string, handler: Handler<IncomingMessage, ServerResponse>) {
      // The handler of a channel from outside Parley may be asynchronous and reject.
      const requestHandler: RequestHandler = async (request, response) => handler(request, response);
      if (path === '/') others.push(requestHandler);
      else app.use(path, requestHandler);
    },
    /** Resolves with the port. Throws `port-in-use`, whose message names the next free port. */
    listen() {
      app.use(...others, notFound);
      app.use(failure(deps.log));
      return listen(server, deps.place);
    },
    /** Returns a handler for another server, in place of `listen`. That server limits connections and requests. */
    embedded(): EmbeddedHandler {
      const unmatched = new WeakMap<IncomingMessage, () => void>();
      app.use(...others, (request) => unmatched.get(request)?.());
      app.use(failure(deps.log));
      return (request, response, next) => {
        const prototypes = [Object.getPrototypeOf(request), Object.getPrototypeOf(response)] as const;
        unmatched.set(request, () => {
          if (next === undefined) return sendJson(response, 404, NOT_FOUND);
          // Express replaced the prototypes. The next handler may need those of another copy of Express.
          Object.setPrototypeOf(request, prototypes[0]);
          Object.setPrototypeOf(response, prototypes[1]);
          next();
        });
        app(request, response);
      };
    },
    /** From now on, `/readyz` answers 503, so that load balancers send no new requests. Requests are still served. */
    drain() {
      draining = true;
    },
    /** Accepts no more requests. Waits up to `graceMs` milliseconds for running requests, then aborts them. */
    close: (graceMs: number) => close(server, deps.clock, graceMs),
  };
}

function setLimits(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxHeadersCount = HEADERS;
  server.maxConnections = CONNECTIONS;
}

/** Gives every request an id for the response header and the log. Keeps an id that a proxy has set. */
function identify(request: Request, response: Response, next: NextFunction): void {
  const given = request.get('x-request-id');
  const isUsable = given !== undefined && /^[\w.-]{1,64}$/.test(given);
  response.setHeader('x-request-id', isUsable ? given : randomUUID());
  next();
}

function operatorRoutes(app: express.Express, deps: WebDeps, isDraining: () => boolean): void {
  app.get('/healthz', (_request, response) => void response.json({ status: 'ok', version: deps.version }));
  app.get('/readyz', async (_request, response) => {
    const reasons = isDraining() ? ['shutting down'] : await deps.readiness();
    const ready = reasons.length === 0;
    const { answeredBy } = deps;
    sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', reasons, answeredBy });
  });
  app.get('/metrics', async (request, response) => {
    if (!mayRead(request, deps.metricsToken)) {
      response.setHeader('www-authenticate', 'Bearer');
      const message = 'Send the token of server.metricsToken as a bearer token.';
      return sendJson(response, 401, { error: { code: 'sign-in-needed', message } });
    }
    const text = await deps.metrics.text();
    response.writeHead(200, { 'content-type': deps.metrics.contentType });
    response.end(text);
  });
}

/** Compares digests, so that the time of the comparison shows nothing about the token. */
function mayRead(request: Request, token: WebDeps['metricsToken']): boolean {
  if (token === undefined) return true;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const given = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token.reveal().trim()));
}

function notFound(_request: Request, response: Response): void {
  sendJson(response, 404, NOT_FOUND);
}

const NOT_FOUND = { error: { code: 'not-found', message: 'There is nothing at this address.' } };

function failure(log: Log) {
  return (err: unknown, request: Request, response: Response, _next: NextFunction): void => {
    log.error({ err, path: request.path, request: response.getHeader('x-request-id') }, 'a request failed');
    if (response.headersSent) return void response.destroy();
    const bad = err instanceof URIError;
    const message = bad ? 'That address is not valid.' : catalogue.internal.tellUser;
    sendJson(response, bad ? 400 : 500, { error: { code: bad ? 'bad-request' : 'internal', message } });
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify(body));
}

async function close(server: Server, clock: Clock, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await within(closed, graceMs, clock);
  server.closeAllConnections();
  await closed;
}
