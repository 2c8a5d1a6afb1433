/** A scripted agent platform with the faults of the sandbox. Logs its questions and answers. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../sandbox/clock.ts';
import { afterReply, FAULTS } from '../../../sandbox/faults/effects.ts';
import { jsonReply, Refusal, type Reply, refusalBody, send } from '../../../sandbox/http/reply.ts';
import { type AnswerStream, type Asking, end, eventsOf } from './answer-stream.ts';
import {
  ASK,
  CLIENT,
  createMemberAgent,
  type MemberAgent,
  SIGN_IN,
  UNKNOWN_SESSION,
} from './member-agent.ts';
import { type AnswerFault, sayingsIn } from './saying.ts';

export type { Asking } from './answer-stream.ts';

const CHAT = '/webapi/lite_api/v2/api/chat-with-bot/chat';

export interface ScriptedPlatform {
  readonly url: string;
  readonly askings: Asking[];
  /** The agent of the Open API. */
  readonly member: Pick<MemberAgent, 'signInDown' | 'setClock' | 'forgetSessions' | 'refusedAt'>;
  /** Switches the platform off or on. While it is off, every connection is reset. */
  setUp(up: boolean): void;
  /** Lets an answer that is held back finish. */
  release(id: string): void;
  close(): Promise<void>;
}

export async function startPlatform(): Promise<ScriptedPlatform> {
  const askings: Asking[] = [];
  const released = new Set<string>();
  const member = createMemberAgent();
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    // The look-up of sources signs in as another client. These sign-ins never get a response, so that sources are
    // always late.
    const { url = '' } = request;
    if (request.method !== 'POST') response.writeHead([CHAT, ASK, SIGN_IN].includes(url) ? 405 : 404).end();
    else if (url === CHAT || url === ASK) void answer(request, response, { askings, released, member });
    else if (url === SIGN_IN) void signIn(request, response, member);
  });
  let isUp = true;
  server.on('connection', (socket) => {
    if (!isUp) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    askings,
    member,
    setUp(up) {
      isUp = up;
      if (!up) server.closeAllConnections();
    },
    release: (id) => void released.add(id),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  readonly askings: Asking[];
  readonly released: ReadonlySet<string>;
  readonly member: MemberAgent;
}

async function signIn(
  request: IncomingMessage,
  response: ServerResponse,
  member: MemberAgent,
): Promise<void> {
  const body = await bodyOf(request);
  if ((JSON.parse(body) as { client?: unknown }).client !== CLIENT) return;
  await send(response, member.signIn(body), new AbortController().signal);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { askings, released, member }: Asked,
): Promise<void> {
  const body = await bodyOf(request);
  const saying = sayingsIn(lastMessage(body)).at(-1);
  const { traceparent } = request.headers;
  const asking: Asking = {
    id: saying?.id ?? '',
    at: Date.now(),
    request: body,
    sent: 0,
    lates: [],
    ...(typeof traceparent === 'string' && { traceparent }),
  };
  askings.push(asking);
  const left = new AbortController();
  response.on('close', () => {
    end(asking, 'cancelled');
    left.abort();
  });
  const nth = askings.filter(({ id }) => id === asking.id).length;
  const stream = { saying, asking, released, signal: left.signal, isFirst: nth === 1 };
  const fault = saying?.fault;
  const hit = fault !== undefined && nth <= (fault.times ?? 1) ? fault : undefined;
  const session = request.url === ASK ? member.session(body) : '';
  if (session === undefined) asking.fault = 'F16';
  const reply =
    session === undefined
      ? UNKNOWN_SESSION
      : await spoilt(hit, request, { ...stream, session }).catch(refusalOf);
  if (typeof reply.body === 'string') end(asking, 'broken');
  await send(response, reply, left.signal);
}

const NO_NUMBERS = {
  status: undefined,
  ms: undefined,
  bytes: undefined,
  events: undefined,
  retryAfter: undefined,
  to: undefined,
};

/** Returns the platform's response. If the question has a fault, the fault changes the response. */
async function spoilt(
  fault: AnswerFault | undefined,
  request: IncomingMessage,
  stream: AnswerStream,
): Promise<Reply> {
  const headers = { 'content-type': 'text/event-stream' };
  if (fault === undefined) return { status: 200, headers, body: eventsOf(stream) };
  const { signal } = stream;
  const { code, mode = FAULTS[code]?.modes[0] ?? '', times: _, ...numbers } = fault;
  const rule = { ...NO_NUMBERS, id: code, fault: code, mode, route: '*', skip: 0, left: null, ...numbers };
  const call = { request, params: {}, query: new URLSearchParams(), base: '', signal };
  const unread = { fields: async () => ({}), json: async () => undefined };
  const deps = { clock: systemClock, revokeTokens: () => undefined };
  const instead = await FAULTS[code]?.before?.(rule, { ...call, ...unread }, deps);
  return (
    instead ??
    afterReply(rule, { status: 200, headers, body: eventsOf(stream) }, { clock: systemClock, signal })
  );
}

function refusalOf(thrown: unknown): Reply {
  if (!(thrown instanceof Refusal)) return { status: 500, headers: {}, body: '' };
  const { headers, ...reply } = jsonReply(refusalBody('lite', thrown), thrown.status);
  return { ...reply, headers: { ...headers, ...thrown.headers } };
}

function lastMessage(body: string): string {
  const request = JSON.parse(body) as { messages?: readonly { content: unknown }[]; content?: unknown };
  const content = request.messages?.at(-1)?.content ?? request.content;
  return typeof content === 'string' ? content : JSON.stringify(content);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
