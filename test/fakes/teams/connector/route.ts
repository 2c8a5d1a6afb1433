/** The Bot Connector's server: checks a request on arrival, handles it after the latency, and applies planted faults. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Route, readBody } from '../../listen.ts';
import type { Fault } from '../faults.ts';
import type { CallRecord } from '../log.ts';
import type { Server } from '../parts.ts';
import { isJson, type Json } from '../read.ts';
import { Refusal } from '../refusal.ts';
import type { Tenant } from '../shapes.ts';
import { admit, tooMany } from './admit.ts';
import { type Asked, readAsked } from './asked.ts';
import type { Answer } from './call.ts';
import { perform } from './methods.ts';

export const connectorRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const { clock } = server.world;
    const at = clock.now();
    const body = (await readBody(request)).toString('utf8');
    const read = parsed(body);
    const asked = readAsked(request.method ?? 'GET', url, read.body);
    const record = begin(server, request, asked, { at, size: read.size });
    const { method, tenant, conversation, root } = asked;
    const fault = server.faults.hit({
      method,
      tenant,
      body,
      ...(conversation === undefined ? {} : { conversation }),
      ...(root === undefined ? {} : { root }),
    });
    if (fault !== undefined) record.fault = fault.kind;
    const judged = read.broken ?? judge(server, request, asked);
    const late = server.latencyMs + (fault?.kind === 'slow' ? (fault.ms ?? 0) : 0);
    // A test's manual clock does not end any wait by itself, not even a wait of 0 ms.
    if (late > 0) await clock.wait(late);
    settle(response, {
      record,
      fault,
      now: () => clock.now(),
      run: () => run(server, asked, record, judged),
    });
  };

interface Read {
  readonly body: Json;
  readonly size: number;
  readonly broken?: Refusal;
}

function parsed(body: string): Read {
  const size = Buffer.byteLength(body);
  if (body === '') return { body: {}, size };
  try {
    const value: unknown = JSON.parse(body);
    if (isJson(value)) return { body: value, size };
  } catch {
    // Invalid JSON is refused below, like a body that is not an object.
  }
  return { body: {}, size, broken: new Refusal(400, 'BadSyntax', 'Invalid or missing JSON body') };
}

function begin(
  { log }: Server,
  request: IncomingMessage,
  asked: Asked,
  arrived: { readonly at: number; readonly size: number },
): CallRecord {
  const { method, tenant, conversation, root, id, body, query } = asked;
  const named = method === 'update' || method === 'delete';
  return log.begin({
    ...arrived,
    method,
    tenant,
    ...(conversation === undefined ? {} : { conversation }),
    ...(root === undefined ? {} : { root }),
    ...(named && id !== undefined ? { activityId: id } : {}),
    asked: { ...(id === undefined || named ? {} : { id }), ...Object.fromEntries(query), ...body },
    bearer: request.headers.authorization !== undefined,
  });
}

function judge(server: Server, request: IncomingMessage, asked: Asked): Tenant | Refusal {
  try {
    return admit(server, request, asked);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
}

function run(server: Server, asked: Asked, record: CallRecord, judged: Tenant | Refusal): Answer {
  try {
    if (judged instanceof Refusal) throw judged;
    return perform({ server, asked, tenant: judged, record });
  } catch (thrown) {
    if (thrown instanceof Refusal) return refusalAnswer(thrown, record);
    throw thrown;
  }
}

interface Refused extends Answer {
  readonly headers?: Readonly<Record<string, string>>;
}

function refusalAnswer(refusal: Refusal, record: CallRecord): Refused {
  const { status, code, message, headers } = refusal;
  if (headers['retry-after'] !== undefined) record.retryAfter = headers['retry-after'];
  return { status, body: { error: { code, message } }, headers };
}

interface Settling {
  readonly record: CallRecord;
  readonly fault: Fault | undefined;
  now(): number;
  run(): Answer;
}

function settle(response: ServerResponse, { record, fault, now, run: make }: Settling): void {
  if (fault?.kind === 'timeout') return;
  if (fault?.kind === 'refuse') {
    response.socket?.resetAndDestroy();
    return;
  }
  const answer = instead(fault, record) ?? make();
  record.doneAt = now();
  if (answer.body !== undefined) record.answer = answer.body;
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') response.socket?.resetAndDestroy();
  else write(response, record, fault?.kind === 'gateway' ? planned(fault, 504, record) : answer);
}

/** Returns the response of a planted fault that takes the place of the handler; undefined if the call is handled. */
function instead(fault: Fault | undefined, record: CallRecord): Refused | undefined {
  if (fault?.kind === 'rate') return refusalAnswer(tooMany(fault.retryAfter), record);
  if (fault?.kind === 'status') return planned(fault, 500, record);
  return fault?.kind === 'html' ? PAGE : undefined;
}

function planned(fault: Fault, usual: number, record: CallRecord): Refused {
  const status = fault.status ?? usual;
  if (fault.body !== undefined) return { status, bytes: Buffer.from(fault.body) };
  const code = fault.code ?? codes[status] ?? 'ServiceError';
  return refusalAnswer(new Refusal(status, code, fault.message ?? `A planted ${status}.`), record);
}

/** Default error codes by HTTP status, from "Status codes from bot conversational APIs" in Teams' documentation. */
const codes: Readonly<Record<number, string>> = {
  400: 'BadArgument',
  401: 'Unauthorized',
  403: 'BotNotInConversationRoster',
  404: 'ConversationNotFound',
  412: 'PreconditionFailed',
  413: 'MessageSizeTooBig',
  429: 'Throttled',
  500: 'ServiceError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'GatewayTimeout',
};

const PAGE: Answer = {
  status: 200,
  bytes: Buffer.from('<!DOCTYPE html><html><body>Sign in to your account</body></html>'),
  contentType: 'text/html; charset=utf-8',
};

function write(response: ServerResponse, record: CallRecord, answer: Refused): void {
  const {
    status,
    body,
    bytes,
    contentType = 'application/json; charset=utf-8',
    headers = {},
    location,
  } = answer;
  record.status = status;
  const content = bytes ?? (body === undefined ? '' : JSON.stringify(body));
  const moved = location === undefined ? {} : { location };
  response.writeHead(status, { 'content-type': contentType, ...moved, ...headers }).end(content);
}
