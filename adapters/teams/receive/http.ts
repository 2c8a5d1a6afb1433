/** Receives Teams' HTTP requests: verifies and reads each request, and acknowledges it once its event is stored. */

import type { IncomingMessage } from 'node:http';
import {
  type Answer,
  createSeldom,
  createStoringAgain,
  type HttpHandler,
  inTime,
  json,
  OK,
  type Plain,
  REPEAT,
  readJson,
  receiver,
  type StoringAgain,
  type StoringDeps,
  text,
  UNPROVEN,
  unread,
} from '../../../src/kit/ladder.ts';
import { createBodyReader } from '../../../src/kit.ts';
import type { TeamsEvent } from '../activity.ts';
import type { Hosts } from '../api/hosts.ts';
import { type Bearer, readBearer } from './bearer.ts';
import { decodeActivity, tenantOf } from './decode.ts';
import { type ProvingDeps, prove } from './proof.ts';

/**
 * Maximum time to store an event, in milliseconds; Teams waits 15 s. If storing takes longer than this maximum, the
 * bridge refuses the request, so that Teams repeats it.
 */
const STORE_MS = 12_000;

/** Response to an invoke, which is a request that expects a response, such as a press. */
export interface InvokeAnswer {
  readonly status: number;
  /** Content to send as JSON. */
  readonly body?: object;
}

interface HttpDeps extends StoringDeps {
  readonly tenant: string;
  readonly proving: ProvingDeps;
  readonly hosts: Hosts;
  /** Resolves once the event is stored: with the response for an invoke, with undefined for any other event. */
  handle(event: TeamsEvent): Promise<InvokeAnswer | undefined>;
}

interface Receiving extends HttpDeps {
  readonly read: ReturnType<typeof createBodyReader>;
  readonly seldom: ReturnType<typeof createSeldom>;
  readonly storing: StoringAgain;
}

export function createHttpReceiver(deps: HttpDeps): HttpHandler {
  const { clock, log } = deps;
  const storing = createStoringAgain(deps);
  const receiving = { ...deps, storing, read: createBodyReader(clock), seldom: createSeldom(clock) };
  return receiver((request) => receive(request, receiving), { channel: 'Teams', log });
}

async function receive(request: IncomingMessage, receiving: Receiving): Promise<Answer> {
  const { proving, seldom, log } = receiving;
  // Refuse an address that continues after the mounted path. The server removes the mounted path from `url`.
  if (/^\/?[^/?#]/.test(request.url ?? '')) return { status: 404 };
  const bearer = readBearer(request.headers.authorization);
  if (request.method !== 'POST' || bearer === undefined) return UNPROVEN;
  const wrongClaim = wrongClaimIn(bearer, receiving);
  if (wrongClaim !== undefined) return refuse(wrongClaim, receiving);
  const proof = await prove(bearer, proving);
  // Respond with 503, so that Teams repeats the event. After a 401, Teams would not repeat it, and the event would be
  // lost.
  if (proof.kind === 'unknown') {
    const { cause: err } = proof;
    seldom('keys', () =>
      log.error({ err }, "Microsoft's keys could not be fetched, so no request from Teams can be verified"),
    );
    return REPEAT;
  }
  if (proof.kind === 'refused') return refuse('token', receiving);
  if (receiving.stopping()) return REPEAT;
  const body = await receiving.read(request);
  if (body.kind !== 'whole') return unread(body.kind);
  const activity = readJson(body.bytes.toString('utf8'));
  return activity === undefined ? { status: 400 } : take(activity, bearer, receiving);
}

/** Returns the name of the first claim that is wrong for this bot or its service; undefined if all claims are right. */
function wrongClaimIn(
  { issuer, audience, serviceUrl }: Bearer,
  { proving, hosts }: HttpDeps,
): 'issuer' | 'bot' | 'host' | undefined {
  if (issuer !== proving.issuer) return 'issuer';
  if (audience !== proving.audience) return 'bot';
  // The bridge would send no answer to a host that is not on its list, so refuse requests that name such a host.
  return hosts.serviceOf(serviceUrl) === 'connector' ? undefined : 'host';
}

async function take(activity: Plain, bearer: Bearer, receiving: Receiving): Promise<Answer> {
  const { tenant, handle, storing, clock, log } = receiving;
  const refusal = refusalOf(activity, bearer, tenant);
  if (refusal !== undefined) return refuse(refusal, receiving);
  const event = decodeActivity(activity);
  if (event === undefined) return activity.type === 'invoke' ? { status: 501 } : OK;
  const store = () => handle(event);
  // Teams does not repeat an invoke. If it fails, Teams shows an error to the person who pressed.
  const stored = activity.type === 'invoke' ? store() : storing.try(store);
  return inTime(stored.then(answerOf), { channel: 'Teams', keepMs: STORE_MS, clock, log });
}

const answerOf = ({ status, body }: InvokeAnswer = { status: 200 }): Answer =>
  body === undefined ? { status } : json(status, body);

const CHANNEL_ID = 'msteams';

/**
 * Returns the reason to refuse a request whose token is valid: the request contradicts the token, or comes from another
 * channel or tenant. Returns undefined if there is no reason.
 */
export function refusalOf(
  activity: Plain,
  { serviceUrl }: Pick<Bearer, 'serviceUrl'>,
  tenant: string,
): 'channel' | 'service' | 'tenant' | undefined {
  if (activity.channelId !== CHANNEL_ID) return 'channel';
  if (text(activity.serviceUrl) !== serviceUrl) return 'service';
  return tenantOf(activity) === tenant.toLowerCase() ? undefined : 'tenant';
}

const REASONS = {
  issuer:
    'its token was not issued by the Bot Connector of this cloud. If it came from Teams, check MICROSOFT_APP_CLOUD.',
  bot: 'its token is for another bot than MICROSOFT_APP_ID. If it came from Teams, compare MICROSOFT_APP_ID with the Microsoft App ID of the bot in Azure.',
  host: "its serviceUrl does not belong to Microsoft's Bot Connector.",
  token: "its token is not valid. If it came from Teams, this machine's clock may be off.",
  channel: 'it comes from another channel than Teams.',
  service: 'its serviceUrl differs from the one in its token.',
  tenant: 'it comes from another organization than MICROSOFT_APP_TENANT_ID.',
} as const;

/**
 * Logs a refused request, and returns the response. If a setting is wrong, the bridge refuses every request, and only the
 * log tells the operator.
 */
function refuse(kind: keyof typeof REASONS, { seldom, log }: Receiving): Answer {
  seldom(kind, () => log.warn({}, `A request to /api/messages was refused: ${REASONS[kind]}`));
  return UNPROVEN;
}
