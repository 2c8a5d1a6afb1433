/** Slack's requests on the bridge's own server: proven first, then read, kept, and only then acknowledged. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBodyReader, type Read } from '../../../src/kit/body.ts';
import { isPlain, type Plain, text } from '../../../src/kit/json.ts';
import type { Clock, HttpHandler, Log } from '../../../src/kit.ts';
import type { Secret } from '../config.ts';
import type { Dispatcher } from './dispatch.ts';
import { createDoubt } from './doubt.ts';
import { isSigned, readClaim } from './signature.ts';

/** Slack waits 3 s; what is not kept by then is refused, so that Slack sends it again. */
const KEEP_MS = 2_500;

export interface HttpParts {
  readonly secret: Secret;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly log: Log;
  /** While it stops, the bridge takes no more events; Slack sends them again. */
  stopping(): boolean;
}

export function createHttpReceiver(parts: HttpParts): HttpHandler {
  const read = createBodyReader(parts.clock);
  const doubt = createDoubt(parts.clock, parts.log);
  return (request, response) => {
    void receive(request, parts, { read, doubt })
      .catch((thrown: unknown): Answer => {
        parts.log.error({ err: thrown }, 'an event of Slack could not be kept; Slack sends it again');
        return REPEAT;
      })
      .then((answer) => send(request, response, answer));
  };
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}

const OK: Answer = { status: 200 };
const UNPROVEN: Answer = { status: 401 };
const REPEAT: Answer = { status: 503 };
const STATUS = { 'too-large': 413, 'too-slow': 408, 'too-many': 503, broken: 400 } as const;

interface Reading {
  read(request: IncomingMessage): Promise<Read>;
  /** The signature does not fit. */
  doubt(): void;
}

async function receive(
  request: IncomingMessage,
  parts: HttpParts,
  { read, doubt }: Reading,
): Promise<Answer> {
  const claim = readClaim(request.headers, parts.clock.now());
  if (request.method !== 'POST' || claim === undefined) return UNPROVEN;
  const body = await read(request);
  if (body.kind !== 'whole') return { status: STATUS[body.kind] };
  if (!isSigned(claim, body.bytes, parts.secret)) {
    doubt();
    return UNPROVEN;
  }
  if (parts.stopping()) return REPEAT;
  const said = parseBody(body.bytes, request.headers['content-type'] ?? '');
  return said === undefined ? { status: 400 } : answer(said, parts);
}

/**
 * JSON for events; for the others a form, which holds JSON in `payload`. The content type is not signed, so that it may
 * not make a form of somebody's words inside JSON: no form begins as JSON does (attack S13).
 */
function parseBody(bytes: Buffer, type: string): Plain | undefined {
  const written = bytes.toString('utf8');
  if (type.startsWith('application/json') || /^[\s{["]/.test(written)) return parsePlain(written);
  const form = Object.fromEntries(new URLSearchParams(written));
  return form.payload === undefined ? form : parsePlain(form.payload);
}

function parsePlain(written: string): Plain | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return isPlain(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function answer(said: Plain, parts: HttpParts): Promise<Answer> {
  if (said.type === 'url_verification') {
    return { status: 200, type: 'text/plain; charset=utf-8', body: text(said.challenge) ?? '' };
  }
  if (said.type === 'app_rate_limited') {
    const { team_id: tenant, minute_rate_limited: minute } = said;
    parts.log.warn(
      { tenant, minute },
      'Slack held events back: more than 30,000 in an hour of one workspace',
    );
    return OK;
  }
  // Slack's look at the certificate; as a member of anything else it means nothing (S13).
  if (said.ssl_check !== undefined && said.command === undefined && said.type === undefined) return OK;
  return deliver(said, parts);
}

async function deliver(said: Plain, { dispatcher, clock, log }: HttpParts): Promise<Answer> {
  const over = new AbortController();
  const late = clock.wait(KEEP_MS, over.signal).then(
    () => REPEAT,
    () => REPEAT,
  );
  const kept = dispatcher
    .deliver(said)
    .then(
      (body): Answer =>
        body === undefined ? OK : { status: 200, type: JSON_TYPE, body: JSON.stringify(body) },
    );
  const first = await Promise.race([kept, late]).finally(() => over.abort());
  if (first === REPEAT) {
    log.warn({}, 'keeping an event of Slack took longer than 2.5 s; Slack sends it again');
    kept.catch((err: unknown) => log.error({ err }, 'an event of Slack could not be kept'));
  }
  return first;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Whoever is not heard out is hung up on, so that the rest of the body is never read. */
function send(request: IncomingMessage, response: ServerResponse, { status, type, body = '' }: Answer): void {
  if (response.destroyed) return;
  const heard = request.complete;
  response.writeHead(status, {
    ...(type !== undefined && { 'content-type': type }),
    'content-length': Buffer.byteLength(body),
    ...(!heard && { connection: 'close' }),
  });
  response.end(body, () => {
    if (!heard) request.destroy();
  });
}
