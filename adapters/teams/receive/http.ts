/** Teams' requests on the bridge's own server: proven first, then read, kept, and only then acknowledged. */

import type { IncomingMessage } from 'node:http';
import { createBodyReader, type Read } from '../../../src/kit/body.ts';
import { type Plain, readJson } from '../../../src/kit/json.ts';
import {
  type Answer,
  inTime,
  json,
  OK,
  REPEAT,
  receiver,
  UNPROVEN,
  unread,
} from '../../../src/kit/receiving.ts';
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
export interface InvokeAnswer {
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
  handle(event: TeamsEvent): Promise<InvokeAnswer | undefined>;
  /** While it stops, the bridge takes no more events; Teams sends them again. */
  stopping(): boolean;
}

export function createHttpReceiver(parts: HttpParts): HttpHandler {
  const read = createBodyReader(parts.clock);
  const doubt = createDoubt(parts.clock, parts.log);
  return receiver((request) => receive(request, parts, { read, doubt }), {
    channel: 'Teams',
    log: parts.log,
  });
}

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
  if (body.kind !== 'whole') return unread(body.kind);
  const activity = readJson(body.bytes.toString('utf8'));
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
  const kept = handle(event).then((answer) => (answer === undefined ? OK : written(answer)));
  return inTime(kept, { channel: 'Teams', keepMs: KEEP_MS, clock, log });
}

const written = ({ status, body }: InvokeAnswer): Answer =>
  body === undefined ? { status } : json(status, body);
