/** A console on a real HTTP server. In place of the bridge, its host records the console's events. */

import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RequestBodies } from '../../../adapters/console/bodies.ts';
import { type ConsoleConfig, defaultPeople } from '../../../adapters/console/config.ts';
import { createConsole } from '../../../adapters/console/index.ts';
import type { ConsoleEvent, MessageView } from '../../../adapters/console/wire.ts';
import type { Act } from '../../../src/core/stores/audit.ts';
import { fragmentLink } from '../../../src/kit/fragment-link.ts';
import {
  agentName,
  type HttpHandler,
  type IntakeResult,
  laneKey,
  type Origin,
  type SharedDatabase,
} from '../../../src/kit/ladder.ts';
import {
  type AdapterHost,
  type ChannelAdapter,
  type Intake,
  type Message,
  type ReplyDocument,
  type Turn,
  turnId,
} from '../../../src/kit.ts';
import { eventsIn } from '../../fakes/console-events.ts';
import { correctionsOf } from '../../fakes/corrections.ts';
import { createEngaging } from '../../fakes/engaging.ts';
import { permissionsOf } from '../../fakes/permissions.ts';
import { memoryKeyed } from '../slack/keyed.ts';

export interface TestHost extends AdapterHost {
  /** All events that the console passed to `intake`. */
  readonly taken: Intake[];
  readonly acts: Act[];
  /** Returns the host's result for an event; by default, the event is stored as a new turn. */
  answer: (event: Intake) => IntakeResult | Promise<IntakeResult>;
  readonly handle: HttpHandler;
}

function createHost(database: SharedDatabase | undefined): TestHost {
  const mounts: { path: string; handler: HttpHandler }[] = [];
  const taken: Intake[] = [];
  const keyed = memoryKeyed();
  const engaging = createEngaging(keyed);
  const quiet = () => {};
  let count = 0;
  const host: TestHost = {
    taken,
    ...(database && { database }),
    acts: [],
    answer: () => ({ kind: 'kept', turn: turnId(`turn-${++count}`), ahead: 0 }),
    async intake(event) {
      taken.push(event);
      return engaging.noted(event, await host.answer(event));
    },
    mount: (path, handler) => void mounts.push({ path, handler }),
    link: () => undefined,
    linkPath: (media, { turn }) => `/media/${turn}/${media.id}?signed`,
    sourceLink: (source) => fragmentLink(source),
    waits: async () => false,
    pending: async () => true,
    running: async () => [],
    messagesOfOthers: async () => new Set(),
    permit: async () => ({ answered: () => undefined }),
    permitAtOnce: () => ({ answered: () => undefined }),
    receipt: async (turn) => [{ turn, at: 1, name: 'kept', detail: { ahead: 0 } }],
    agents: () => [
      { name: agentName('knowledge'), description: 'Knows the documents', seesImages: false },
      { name: agentName('vision'), description: 'Accepts images', seesImages: true },
    ],
    mentionRule: () => 'alone',
    refusal: permissionsOf().refusal,
    pressRefusal: async () => undefined,
    corrections: correctionsOf(),
    askers: { keep: async () => undefined, fail: async () => undefined },
    noteAct: async (act) => void host.acts.push(act),
    otherRights: () => false,
    state: keyed,
    secrets: keyed,
    closing: () => false,
    forgetTenant: async () => undefined,
    forgetRoom: async () => undefined,
    reply: async () => undefined,
    openMedia: async () => ({ type: 'image/png', bytes: new Uint8Array() }),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    clock: { now: Date.now, wait: (ms, signal) => wait(ms, undefined, { signal }) },
    handle(request, response) {
      const url = request.url ?? '/';
      const mount = mounts.find(({ path }) => path === '/' || url.startsWith(`${path}/`));
      if (mount && mount.path !== '/') request.url = url.slice(mount.path.length);
      mount?.handler(request, response);
    },
  };
  return host;
}

export interface Rig {
  readonly host: TestHost;
  readonly adapter: ChannelAdapter;
  readonly folder: string;
  readonly port: number;
  /** Sends a request as the page does. */
  call(path: string, init?: RequestInit): Promise<Response>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  say(room: string, message: Partial<RequestBodies['/rooms/:id/messages']>): Promise<MessageView>;
  /** Stops the console and starts another one with the same files. */
  restart(): Promise<Rig>;
  /** Starts another console with a copy of the files, as if the first process had been killed. */
  crash(): Promise<Rig>;
  close(): Promise<void>;
}

export interface RigOptions {
  readonly config?: Partial<ConsoleConfig>;
  readonly host?: (host: TestHost) => void;
  /** Database that the console shares with others; by default, it alone uses the files. */
  readonly database?: SharedDatabase;
  readonly folder?: string;
  /** Port to listen on; any free one by default. */
  readonly port?: number;
}

let nonces = 0;

export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'parley-console-')));
  const host = createHost(options.database);
  options.host?.(host);
  const adapter = createConsole({
    file: join(folder, 'console.sqlite'),
    people: defaultPeople,
    botName: 'parley',
    defaultAgent: 'knowledge',
    allowedHosts: ['127.0.0.1', 'localhost'],
    pageFolder: join(folder, 'page'),
    isReplicated: options.database !== undefined,
    ...options.config,
  });
  await adapter.start(host);
  const server = createServer(host.handle);
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
  const port = portOf(server);
  const shut = async () => {
    await adapter.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const call = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const post = async <T>(path: string, body: unknown) => read<T>(await call(path, json(body)));
  return {
    host,
    adapter,
    folder,
    port,
    call,
    post,
    get: async <T>(path: string) => read<T>(await call(path)),
    say: (room, message) => {
      const whole = { as: 'engineer', text: '', files: [], nonce: `n${++nonces}`, ...message };
      return post<MessageView>(`/console/rooms/${encodeURIComponent(room)}/messages`, whole);
    },
    restart: async () => {
      await shut();
      return openRig({ ...options, folder });
    },
    crash: async () => {
      const left = await mkdtemp(join(tmpdir(), 'parley-console-'));
      await cp(folder, left, { recursive: true });
      await shut();
      await rm(folder, { recursive: true });
      return openRig({ ...options, folder: left });
    },
    close: async () => {
      await shut();
      await rm(folder, { recursive: true });
    },
  };
}

export const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Returns the body as the type that the test expects. If the request was refused, throws its status and body. */
async function read<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Returns the turn that the bridge would create for an event. */
export function turnOf(event: Intake | undefined, id: string): Turn {
  if (event?.kind !== 'ask') throw new Error('nothing was asked');
  return makeTurn(event.message, event.origin, id);
}

function makeTurn(message: Message, origin: Origin, id: string): Turn {
  return {
    id: turnId(id),
    origin,
    lane: laneKey('lane'),
    message,
    keptAt: 1,
    attempt: 1,
    phase: 'new',
    state: 'running',
  };
}

/** Shared lists, so that unchanged properties are the same objects in every document, as in the core. */
const unchanged = { steps: [], media: [], sources: [], suggestions: [], notices: [] };

export function documentOf(turn: Turn, members: Partial<ReplyDocument> = {}): ReplyDocument {
  return {
    turn: turn.id,
    agent: agentName('knowledge'),
    version: 1,
    state: 'thinking',
    text: '',
    rewrites: 0,
    ...unchanged,
    retry: false,
    ...members,
  };
}

/** Performs moves until the screen shows the document, as the core's pacer does. */
export async function show(rig: Rig, turn: Turn, documents: readonly ReplyDocument[]): Promise<Turn> {
  const writer = rig.adapter.writer(turn);
  const signal = new AbortController().signal;
  let screen = turn.screen ? writer.resume(turn.screen) : writer.blank();
  for (const document of documents) {
    for (let [move] = writer.next(screen, document, 0); move; [move] = writer.next(screen, document, 0)) {
      screen = writer.after(screen, move, await writer.perform(move, signal), 0);
    }
  }
  return { ...turn, screen };
}

export interface Stream {
  readonly events: ConsoleEvent[];
  /** Resolves with the first matching event, including events that have already arrived. */
  until(fits: (event: ConsoleEvent) => boolean): Promise<ConsoleEvent>;
  close(): void;
}

/** Follows the console's events as a browser does. */
export async function follow(rig: Rig, since?: number): Promise<Stream> {
  const ended = new AbortController();
  const query = since === undefined ? '' : `?since=${since}`;
  const response = await rig.call(`/console/events${query}`, { signal: ended.signal });
  const events: ConsoleEvent[] = [];
  const waits = new Set<() => void>();
  const reading = (async () => {
    for await (const event of eventsIn(response)) {
      events.push(event);
      for (const wake of waits) wake();
    }
  })().catch(() => undefined);
  return {
    events,
    until: async (fits) => {
      for (;;) {
        const found = events.find(fits);
        if (found) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waits.add(resolve);
        await Promise.race([promise, reading.then(() => Promise.reject(new Error('the stream ended')))]);
        waits.delete(resolve);
      }
    },
    close: () => ended.abort(),
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with headers that `fetch` rejects, such as `Host`. */
export async function rawCall(
  rig: Rig,
  path: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<RawAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const request = httpRequest({ host: '127.0.0.1', port: rig.port, path, ...options }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: Buffer.concat(chunks).toString(),
      }),
    );
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
