/** Teams' requests on the bridge's own server: proven first, then read, kept, and only then acknowledged. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createBodyReader, type Read } from '../../../src/kit/body.ts';
import { isPlain, type Plain } from '../../../src/kit/json.ts';
import type { Clock, HttpHandler, Log } from '../../../src/kit.ts';
import type { Hosts } from '../api/hosts.ts';
import { cloudOf } from '../clouds.ts';
import type { TeamsConfig } from '../config.ts';
import type { TeamsEvent } from './activity.ts';
import { type Bearer, readBearer } from './bearer.ts';
import { refusalOf } from './checks.ts';
import { decodeActivity } from './decode.ts';
import { createDoubt, type Doubt } from './doubt.ts';
import type { Proving } from './proof.ts';

/** Teams waits 15 s and then repeats the request; what is not kept by then is refused, so that it surely does. */
const KEEP_MS = 12_000;

/** What an invoke is answered with. */
export interface Answer {
  readonly status: number;
  /** Becomes JSON. */
  readonly body?: object;
}

export interface HttpParts {
  readonly config: Pick<TeamsConfig, 'appId' | 'tenant' | 'cloud' | 'services'>;
  readonly proving: Proving;
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when the event is kept; only invokes are answered with more than an empty 200. */
  handle(event: TeamsEvent): Promise<Answer | undefined>;
  /** While it stops, the bridge takes no more events; Teams sends them again. */
  stopping(): boolean;
}

export function createHttpReceiver(parts: HttpParts): HttpHandler {
  const read = createBodyReader(parts.clock);
  const doubt = createDoubt(parts.clock, parts.log);
  return (request, response) => {
    void receive(request, parts, { read, doubt })
      .catch((thrown: unknown): Answer => {
        parts.log.error({ err: thrown }, 'an event of Teams could not be kept; Teams sends it again');
        return REPEAT;
      })
      .then((answer) => send(request, response, answer));
  };
}

const OK: Answer = { status: 200 };
const UNPROVEN: Answer = { status: 401 };
const REPEAT: Answer = { status: 503 };
const STATUS = { 'too-large': 413, 'too-slow': 408, 'too-many': 503, broken: 400 } as const;

interface Reading {
  read(request: IncomingMessage): Promise<Read>;
  readonly doubt: Doubt;
}

async function receive(request: IncomingMessage, parts: HttpParts, reading: Reading): Promise<Answer> {
  const { proving } = parts;
  // What is mounted sees the rest of the address only.
  if (/^\/?[^/?#]/.test(request.url ?? '')) return { status: 404 };
  const bearer = readBearer(request.headers.authorization);
  if (request.method !== 'POST' || bearer === undefined) return UNPROVEN;
  const stranger = strangerIn(bearer, parts);
  if (stranger !== undefined) {
    reading.doubt.refused(stranger);
    return UNPROVEN;
  }
  const proof = await proving.prove(bearer);
  // Nobody is heard, but a 401 would lose what Teams signed with a key that we have not seen yet: this it sends again.
  if (proof.kind === 'unknown') {
    reading.doubt.keysMissing(proof.cause);
    return REPEAT;
  }
  if (proof.kind === 'refused') {
    reading.doubt.refused('token');
    return UNPROVEN;
  }
  if (parts.stopping()) return REPEAT;
  const body = await reading.read(request);
  if (body.kind !== 'whole') return { status: STATUS[body.kind] };
  const activity = parsed(body.bytes);
  return activity === undefined ? { status: 400 } : take(activity, bearer, { parts, doubt: reading.doubt });
}

/** What a token says that is not of our bot and its service; each is told, as a wrong setting would silence Teams. */
function strangerIn(
  { issuer, audience, serviceUrl }: Bearer,
  { config, hosts }: HttpParts,
): 'issuer' | 'bot' | 'host' | undefined {
  if (issuer !== cloudOf(config).issuer) return 'issuer';
  if (audience !== config.appId) return 'bot';
  // No token of ours ever goes to a host that is not on the list, so nothing needs to come from there.
  return hosts.serviceOf(serviceUrl) === 'connector' ? undefined : 'host';
}

function parsed(bytes: Buffer): Plain | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isPlain(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

async function take(
  activity: Plain,
  bearer: Bearer,
  { parts, doubt }: { parts: HttpParts; doubt: Doubt },
): Promise<Answer> {
  const refusal = refusalOf(activity, bearer, parts.config.tenant);
  if (refusal !== undefined) {
    doubt.refused(refusal);
    return UNPROVEN;
  }
  const event = decodeActivity(activity);
  if (event === undefined) return activity.type === 'invoke' ? { status: 501 } : OK;
  return keep(event, parts);
}

async function keep(event: TeamsEvent, { handle, clock, log }: HttpParts): Promise<Answer> {
  const over = new AbortController();
  const late = clock.wait(KEEP_MS, over.signal).then(
    () => REPEAT,
    () => REPEAT,
  );
  const kept = handle(event).then((answer) => answer ?? OK);
  const first = await Promise.race([kept, late]).finally(() => over.abort());
  if (first === REPEAT) {
    log.warn({}, 'keeping an event of Teams took longer than 12 s; Teams sends it again');
    kept.catch((err: unknown) => log.error({ err }, 'an event of Teams could not be kept'));
  }
  return first;
}

/** Whoever is not heard out is hung up on, so that the rest of the body is never read. */
function send(request: IncomingMessage, response: ServerResponse, { status, body }: Answer): void {
  if (response.destroyed) return;
  const heard = request.complete;
  const text = body === undefined ? '' : JSON.stringify(body);
  response.writeHead(status, {
    ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    'content-length': Buffer.byteLength(text),
    ...(!heard && { connection: 'close' }),
  });
  response.end(text, () => {
    if (!heard) request.destroy();
  });
}
