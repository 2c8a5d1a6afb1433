/** Receives Slack's HTTP requests: authenticates them, stores the event, and only then acknowledges it. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Answer,
  createSeldom,
  type HttpHandler,
  inTime,
  json,
  OK,
  type Plain,
  REPEAT,
  readJson,
  receiver,
  text,
  UNPROVEN,
  unread,
} from '../../../src/kit/ladder.ts';
import { type AdapterHost, type Clock, createBodyReader, type Log } from '../../../src/kit.ts';
import type { Secret, SlackConfig } from '../config.ts';
import type { Dispatcher } from './dispatch.ts';
import type { OAuth } from './oauth.ts';
import { isSigned, readClaim } from './signature.ts';

/**
 * Maximum time to store an event, in milliseconds. Slack waits 3 s. If storing takes longer, the bridge responds with
 * an error, so that Slack sends the event again.
 */
const KEEP_MS = 2_500;

export interface HttpDeps {
  readonly secret: Secret;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly log: Log;
  /** True while the bridge stops. It then refuses events, so that Slack sends them again, perhaps to another replica. */
  stopping(): boolean;
}

export function createHttpReceiver(deps: HttpDeps): HttpHandler {
  const { clock, log } = deps;
  const read = createBodyReader(clock);
  const seldom = createSeldom(clock);
  const receive = async (request: IncomingMessage): Promise<Answer> => {
    const claim = readClaim(request.headers, clock.now());
    if (request.method !== 'POST' || claim === undefined) return UNPROVEN;
    const body = await read(request);
    if (body.kind !== 'whole') return unread(body.kind);
    if (!isSigned(claim, body.bytes, deps.secret)) {
      // A wrong signing secret makes every request fail, so the log warns the operator, but only once in a while.
      seldom('signature', () => log.warn({}, WRONG_SIGNATURE));
      return UNPROVEN;
    }
    if (deps.stopping()) return REPEAT;
    const payload = parseBody(body.bytes, request.headers['content-type'] ?? '');
    return payload === undefined ? { status: 400 } : answer(payload, deps);
  };
  return receiver(receive, { channel: 'Slack', log });
}

const WRONG_SIGNATURE =
  'A request to /slack/events was refused: its signature does not match SLACK_SIGNING_SECRET. If it came from Slack, copy the signing secret again from "Basic Information" of the app.';

/**
 * Reads an event as JSON, and any other request as form fields, of which `payload` may contain JSON. The signature does
 * not cover the content type. So a body that looks like JSON is never read as a form; otherwise text inside it could
 * become fields (attack S13: forged requests).
 */
function parseBody(bytes: Buffer, type: string): Plain | undefined {
  const written = bytes.toString('utf8');
  if (type.startsWith('application/json') || /^[\s{["]/.test(written)) return readJson(written);
  const form = Object.fromEntries(new URLSearchParams(written));
  return form.payload === undefined ? form : readJson(form.payload);
}

async function answer(payload: Plain, { dispatcher, clock, log }: HttpDeps): Promise<Answer> {
  if (payload.type === 'url_verification') {
    return { status: 200, type: 'text/plain; charset=utf-8', body: text(payload.challenge) ?? '' };
  }
  if (payload.type === 'app_rate_limited') {
    const { team_id: tenant, minute_rate_limited: minute } = payload;
    log.warn(
      { tenant, minute },
      'Slack dropped events: one workspace had more than 30,000 events in an hour',
    );
    return OK;
  }
  // A request with `ssl_check` alone is Slack's check of the certificate. In any other request, `ssl_check` is ignored
  // (S13: forged requests).
  if (payload.ssl_check !== undefined && payload.command === undefined && payload.type === undefined)
    return OK;
  // Slack repeats failed requests only for events. If a press, a form or a command fails, Slack shows the person an
  // error.
  const delivery = dispatcher.deliver(payload).then((body) => (body === undefined ? OK : json(200, body)));
  return inTime(delivery, { channel: 'Slack', keepMs: KEEP_MS, clock, log });
}

/** Addresses for events, commands and interactions. Each address accepts all three kinds. */
const EVENTS = ['/events', '/commands', '/interactivity'];

/**
 * Adds the routes; all of Slack's addresses on the bridge's server are under `/slack`. Without a signing secret there is
 * no route for events, which then arrive by Socket Mode.
 */
export function mountRoutes(
  { signingSecret: secret }: SlackConfig,
  host: AdapterHost,
  dispatcher: Dispatcher,
  { oauth, stopping }: { oauth: OAuth | undefined; stopping(): boolean },
): void {
  const { clock, log } = host;
  const routes = new Map<string, HttpHandler>();
  if (secret !== undefined) {
    const receive = createHttpReceiver({ secret, dispatcher, clock, log, stopping });
    for (const path of EVENTS) routes.set(path, receive);
  }
  if (oauth !== undefined) {
    routes.set('/install', browsing(oauth.install, log));
    routes.set('/oauth_redirect', browsing(oauth.callback, log));
  }
  if (routes.size === 0) return;
  host.mount('/slack', (request, response) => {
    const route = routes.get(pathOf(request));
    if (route === undefined) empty(response, 404);
    else route(request, response);
  });
}

/** Returns a handler for a page that people open in a browser. */
function browsing(serve: OAuth['install'], log: AdapterHost['log']): HttpHandler {
  return (request, response) => {
    if (request.method !== 'GET') return empty(response, 405);
    void serve(request, response).catch((err: unknown) => {
      log.warn({ err }, 'a page of the Slack installation could not be served');
      if (!response.headersSent) empty(response, 500);
    });
  };
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(/[?#].*$/, '').replace(/(?<=.)\/+$/, '');
}

function empty(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-length': 0 }).end();
}
