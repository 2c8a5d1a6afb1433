/** Teams' requests on the bridge's own server: proven first, then read, kept, and only then acknowledged. */

import type { IncomingMessage } from 'node:http';
import { type Plain, readJson, text } from '../../../src/kit/json.ts';
import {
  type Answer,
  createBodyReader,
  inTime,
  json,
  OK,
  REPEAT,
  type Read,
  receiver,
  UNPROVEN,
  unread,
} from '../../../src/kit/receiving.ts';
import { createSeldom } from '../../../src/kit/seldom.ts';
import type { Clock, HttpHandler, Log } from '../../../src/kit.ts';
import type { TeamsEvent } from '../activity.ts';
import type { Hosts } from '../api/hosts.ts';
import { cloudOf } from '../clouds.ts';
import type { TeamsConfig } from '../config.ts';
import { type Bearer, readBearer } from './bearer.ts';
import { decodeActivity, tenantOf } from './decode.ts';
import type { Proving } from './proof.ts';

/** Teams waits 15 s and then repeats the request; what is not kept by then is refused, so that it surely does. */
const KEEP_MS = 12_000;

/** What an invoke is answered with. */
export interface InvokeAnswer {
  readonly status: number;
  /** Becomes JSON. */
  readonly body?: object;
}

interface HttpDeps {
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

export function createHttpReceiver(deps: HttpDeps): HttpHandler {
  const read = createBodyReader(deps.clock);
  const authFailures = createAuthFailures(deps.clock, deps.log);
  return receiver((request) => receive(request, deps, { read, authFailures }), {
    channel: 'Teams',
    log: deps.log,
  });
}

interface Reading {
  read(request: IncomingMessage): Promise<Read>;
  readonly authFailures: AuthFailures;
}

async function receive(request: IncomingMessage, deps: HttpDeps, reading: Reading): Promise<Answer> {
  const { proving } = deps;
  // What is mounted sees the rest of the address only.
  if (/^\/?[^/?#]/.test(request.url ?? '')) return { status: 404 };
  const bearer = readBearer(request.headers.authorization);
  if (request.method !== 'POST' || bearer === undefined) return UNPROVEN;
  const stranger = strangerIn(bearer, deps);
  if (stranger !== undefined) {
    reading.authFailures.refused(stranger);
    return UNPROVEN;
  }
  const proof = await proving.prove(bearer);
  // Nobody is heard, but a 401 would lose what Teams signed with a key that we have not seen yet: this it sends again.
  if (proof.kind === 'unknown') {
    reading.authFailures.keysMissing(proof.cause);
    return REPEAT;
  }
  if (proof.kind === 'refused') {
    reading.authFailures.refused('token');
    return UNPROVEN;
  }
  if (deps.stopping()) return REPEAT;
  const body = await reading.read(request);
  if (body.kind !== 'whole') return unread(body.kind);
  const activity = readJson(body.bytes.toString('utf8'));
  return activity === undefined ? { status: 400 } : take(activity, bearer, deps, reading.authFailures);
}

/** What a token says that is not of our bot and its service; each is told, as a wrong setting would silence Teams. */
function strangerIn(
  { issuer, audience, serviceUrl }: Bearer,
  { config, hosts }: HttpDeps,
): 'issuer' | 'bot' | 'host' | undefined {
  if (issuer !== cloudOf(config).issuer) return 'issuer';
  if (audience !== config.appId) return 'bot';
  // No token of ours ever goes to a host that is not on the list, so nothing needs to come from there.
  return hosts.serviceOf(serviceUrl) === 'connector' ? undefined : 'host';
}

async function take(
  activity: Plain,
  bearer: Bearer,
  deps: HttpDeps,
  authFailures: AuthFailures,
): Promise<Answer> {
  const refusal = refusalOf(activity, bearer, deps.config.tenant);
  if (refusal !== undefined) {
    authFailures.refused(refusal);
    return UNPROVEN;
  }
  const event = decodeActivity(activity);
  if (event === undefined) return activity.type === 'invoke' ? { status: 501 } : OK;
  return keep(event, deps);
}

async function keep(event: TeamsEvent, { handle, clock, log }: HttpDeps): Promise<Answer> {
  const kept = handle(event).then((answer) => (answer === undefined ? OK : written(answer)));
  return inTime(kept, { channel: 'Teams', keepMs: KEEP_MS, clock, log });
}

const written = ({ status, body }: InvokeAnswer): Answer =>
  body === undefined ? { status } : json(status, body);

const CHANNEL_ID = 'msteams';

/** The reason to refuse a proven request that differs from its token or is for another bot; undefined if there is none. */
export function refusalOf(
  activity: Plain,
  { serviceUrl }: Pick<Bearer, 'serviceUrl'>,
  tenant: string,
): 'channel' | 'service' | 'tenant' | undefined {
  if (activity.channelId !== CHANNEL_ID) return 'channel';
  if (text(activity.serviceUrl) !== serviceUrl) return 'service';
  return tenantOf(activity) === tenant.toLowerCase() ? undefined : 'tenant';
}

const SENTENCES = {
  issuer:
    'A request to /api/messages was refused: its token is not of the Bot Connector of this cloud. If it came from Teams, check MICROSOFT_APP_CLOUD.',
  bot: 'A request to /api/messages was refused: its token is for another bot than MICROSOFT_APP_ID. If it came from Teams, compare that with the Microsoft App ID of the bot in Azure.',
  host: "A request to /api/messages was refused: it wants to be answered at an address that is none of Microsoft's Bot Connector.",
  token:
    "A request to /api/messages was refused: its token is not good. If it came from Teams, this machine's clock may be off.",
  channel: 'A request to /api/messages was refused: it comes from another channel than Teams.',
  service: 'A request to /api/messages was refused: it names another address to answer to than its token.',
  tenant:
    'A request to /api/messages was refused: it comes from another organisation than MICROSOFT_APP_TENANT_ID.',
} as const;

type Kind = keyof typeof SENTENCES;

interface AuthFailures {
  refused(kind: Kind): void;
  keysMissing(cause: unknown): void;
}

/** Tells the operator of requests that are refused: a wrong setting would refuse everything in silence. */
function createAuthFailures(clock: Clock, log: Log): AuthFailures {
  const seldom = createSeldom(clock);
  return {
    refused: (kind) => seldom(kind, () => log.warn({}, SENTENCES[kind])),
    keysMissing: (err) =>
      seldom('keys', () =>
        log.error({ err }, "Microsoft's keys could not be had, so that no request of Teams can be proven"),
      ),
  };
}
