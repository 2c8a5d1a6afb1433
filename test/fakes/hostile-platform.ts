/** A fake platform that answers as the test tells it, and a gateway connected to it. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/clock.ts';
import type { AgentEvent, AgentGateway, AskingGuard, Question } from '../../src/core/agents/agent.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import {
  type AgentOptions,
  createPlatform,
  type Platform,
  type PlatformOptions,
} from '../../src/platform/index.ts';
import { Secret } from '../../src/secret.ts';
import { person, thread } from './samples.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request; `nth` counts the requests of its path from 1. */
export type Behaviour = (request: Received, response: ServerResponse, nth: number) => void;

export interface HostilePlatform {
  readonly url: string;
  readonly received: Received[];
  /** Handlers by path prefix; the longest matching prefix is used. */
  on(path: string, behaviour: Behaviour): void;
  paths(path: string): readonly Received[];
  close(): Promise<void>;
}

export async function startHostilePlatform(): Promise<HostilePlatform> {
  const behaviours = new Map<string, Behaviour>();
  const received: Received[] = [];
  /** Number of requests per handler. Kept as counts, because searching all requests would be slow after thousands. */
  const counts = new Map<string, number>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const seen = {
        method: request.method ?? '',
        path,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      received.push(seen);
      const name = [...behaviours.keys()]
        .filter((key) => path.startsWith(key))
        .toSorted((a, b) => b.length - a.length)[0];
      const behaviour = name === undefined ? undefined : behaviours.get(name);
      if (name === undefined || behaviour === undefined) {
        response.writeHead(404).end();
        return;
      }
      const nth = (counts.get(name) ?? 0) + 1;
      counts.set(name, nth);
      behaviour(seen, response, nth);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    on: (path, behaviour) => behaviours.set(path, behaviour),
    paths: (path) => received.filter((one) => one.path.startsWith(path)),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const CHAT = '/webapi/lite_api/v2/api/chat-with-bot/chat';
export const EXPERT = '/openapi/chat/expert';
export const TOKEN = '/openapi/auth/client_with_account';
export const LITE_TOKEN = '/webapi/lite_api/v1/iam/client_token';

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function sendEvents(response: ServerResponse, chunks: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
}

/** Issues a different, numbered token for each request, so that tests can see renewals. */
export const givesTokens: Behaviour = (_request, response, nth) =>
  sendJson(response, { success: true, msg: '', data: { access_token: `token-${nth}`, expires_in: 1440 } });

export interface LogLine {
  readonly level: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export function recordingLog(lines: LogLine[] = []): Log {
  const level = (name: string) => (facts: Readonly<Record<string, unknown>>, text: string) => {
    lines.push({ level: name, facts, text });
  };
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}

export interface Client {
  readonly platform: Platform;
  readonly lines: LogLine[];
  gateway(options?: Partial<AgentOptions>): AgentGateway;
}

/** Connects a client to a server. Its timeouts are short unless a test sets others. */
export function clientOf(
  url: string,
  over: Partial<PlatformOptions> & { clock?: Clock; random?: () => number } = {},
): Client {
  const lines: LogLine[] = [];
  const { clock = systemClock, random = () => 0, ...options } = over;
  const platform = createPlatform({ baseUrl: url, ...options }, { clock, log: recordingLog(lines), random });
  return {
    platform,
    lines,
    gateway: (agent = {}) => platform.gateway({ ...openAgent, ...agent }),
  };
}

export const openAgent: AgentOptions = {
  interface: 'open',
  expertCode: 'guide',
  credential: {
    kind: 'client-account',
    client: 'demo',
    secret: new Secret('client-secret-1'),
    account: 'service',
  },
};

export const keyAgent: AgentOptions = {
  interface: 'lite-key',
  credential: { kind: 'api-key', key: new Secret('api-key-0123456789') },
};

export const question = (over: Partial<Question> = {}): Question => ({
  text: 'How long is the warranty?',
  asker: person(),
  thread: thread(),
  quoted: [],
  images: [],
  history: [],
  ...over,
});

export interface Asked {
  readonly events: readonly AgentEvent[];
  readonly text: string;
  readonly error: unknown;
}

/** Allows every request. */
export const UNGUARDED: AskingGuard = { ready: async () => undefined, maySend: () => true };

/** Asks a question and collects the events until the end or a failure. */
export async function ask(
  gateway: AgentGateway,
  over: Partial<Question> = {},
  signal = new AbortController().signal,
  guard: AskingGuard = UNGUARDED,
): Promise<Asked> {
  const events: AgentEvent[] = [];
  let text = '';
  let error: unknown;
  try {
    for await (const event of gateway.ask(question(over), signal, guard)) {
      events.push(event);
      if (event.type === 'text') text = text.slice(0, event.at) + event.text;
    }
  } catch (thrown) {
    error = thrown;
  }
  return { events, text, error };
}
