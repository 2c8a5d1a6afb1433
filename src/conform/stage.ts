/**
 * A channel with its rig: a running chat, a started adapter, and a bridge in memory that records the channel's events.
 */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { type Channel, type ConfiguredChannel, type Shared, valueAt } from '../kit/channel.ts';
import type { TurnId } from '../kit/ladder.ts';
import type { Kit, OpenRig } from '../kit/package.ts';
import type { Rig, RigPerson, RigQuestion } from '../kit/rig.ts';
import type { ChannelAdapter, Turn } from '../kit.ts';
import { type AcceptedEvent, createHost, type TestHost, turnOf } from './host.ts';
import { CALL_MS, inTime, OPEN_MS, SEEN_MS, STOP_MS, seen } from './limits.ts';
import type { OpenChannel } from './play.ts';
import { Violation } from './violation.ts';

/** A channel that can be checked. */
export interface Candidate {
  readonly channel: Channel;
  readonly openRig: OpenRig;
  readonly kit: Kit;
  readonly project: Shared['project'];
}

/** A request of the chat to the channel. */
export interface Received {
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A turn that a person's question made. */
export interface AskedTurn {
  readonly question: RigQuestion;
  readonly turn: Turn;
}

export interface Stage extends OpenChannel {
  readonly rig: Rig;
  readonly host: TestHost;
  readonly adapter: ChannelAdapter;
  /** Families of all moves that the channel's writers returned. */
  readonly families: ReadonlySet<string>;
  /** Returns a question that was not asked before. If no thread is given, the question begins one. */
  question(of?: { readonly thread?: string; readonly person?: RigPerson }): RigQuestion;
  /** Asks a new question. Resolves once the bridge has it. */
  asks(of?: { readonly thread?: string; readonly person?: RigPerson }): Promise<AskedTurn>;
  /** Returns the question of a turn that `ask` or `asks` created. */
  questionOf(turn: Turn): RigQuestion;
  /** Resolves with the events whose message text contains the question's key; empty if there are none within `ms`. */
  eventsOf(question: RigQuestion, ms?: number): Promise<readonly AcceptedEvent[]>;
  /** Resolves with the requests that the chat sends to the channel while the work runs, oldest first. */
  recorded(work: () => Promise<unknown>): Promise<readonly Received[]>;
  /** The secrets in the channel's settings. */
  readonly secrets: readonly string[];
  /** Sends a request to the channel. Resolves once it is answered. */
  send(request: Received): Promise<void>;
  /** Stops the adapter, and starts another one with the same chat, as a restart of the bridge would. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the chat and the adapter. If one of them fails, throws an error that tells the author what to correct.
 * @param openMs maximum time to start the chat, in milliseconds
 */
export async function openStage(
  { channel, openRig, kit, project }: Candidate,
  openMs = OPEN_MS,
): Promise<Stage> {
  const server = await openServer();
  const { url, folder } = server;
  const state = new Map<string, unknown>();
  const questions = new Map<TurnId, RigQuestion>();
  const families = new Set<string>();
  let rig: Rig | undefined;
  try {
    const opening = (async () => openRig(kit, { url, folder }))();
    rig = checkedRig(await inTime('"conform"', () => opening, openMs).catch(closing(opening)));
    const configured = settingsOf(channel, rig);
    const shared = sharedOf(rig, { url, folder, project });
    let running = await start(configured, { shared, state, server });
    return stageOf(rig, {
      questions,
      families,
      recorded: server.recorded,
      secrets: secretsOf(channel, rig),
      send: server.send,
      running: () => running,
      async restart() {
        await inTime('"stop"', async () => running.adapter.stop(), STOP_MS);
        running = await start(configured, { shared, state, server });
      },
      async close() {
        await inTime('"stop"', async () => running.adapter.stop(), STOP_MS).finally(() => shut(rig, server));
      },
    });
  } catch (thrown) {
    await shut(rig, server).catch(() => undefined);
    throw thrown;
  }
}

/**
 * Returns an error handler for a rig that did not open in time: it throws the error again, and closes the rig if it
 * opens later.
 */
const closing =
  (opening: Promise<Rig>) =>
  (thrown: unknown): never => {
    opening.then((late) => late.close()).catch(() => undefined);
    throw thrown;
  };

/** Returns the settings of the rig that the channel declares as secrets. */
function secretsOf({ variables }: Channel, { settings }: Rig): readonly string[] {
  const names = Object.values(variables).filter(({ kind }) => kind === 'secret');
  const values = names.map(({ setting }) => valueAt(settings, setting.split('.')));
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

interface StageParts extends Pick<Stage, 'recorded' | 'secrets' | 'send'> {
  readonly questions: Map<TurnId, RigQuestion>;
  readonly families: Set<string>;
  running(): Pick<Stage, 'host' | 'adapter'>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

function stageOf(rig: Rig, { questions, families, running, ...parts }: StageParts): Stage {
  const eventsOf: Stage['eventsOf'] = async ({ key }, ms = SEEN_MS) => {
    const found = () => {
      const events = running().host.taken.filter(({ event }) => textOf(event).includes(key));
      return events.length === 0 ? undefined : events;
    };
    return (await seen(found, ms)) ?? [];
  };
  const stage: Stage = {
    ...parts,
    rig,
    families,
    eventsOf,
    get host() {
      return running().host;
    },
    get adapter() {
      return running().adapter;
    },
    question({ thread = `t-${randomUUID()}`, person = 'ada' } = {}) {
      const key = `q-${randomUUID()}`;
      return { key, thread, person, text: `How long is a visitor pass valid? (${key})` };
    },
    async asks(of) {
      const question = stage.question(of);
      await inTime('"say"', () => rig.say(question));
      // A channel that has just started may still be connecting.
      const [taken] = await eventsOf(question, CALL_MS);
      const turn = taken && turnOf(taken, systemClock.now());
      if (turn === undefined)
        throw new Violation(
          'A question did not reach the bridge.',
          `a call of "intake" with "${question.text}"`,
          'none',
        );
      questions.set(turn.id, question);
      return { question, turn };
    },
    ask: async () => (await stage.asks()).turn,
    questionOf: ({ id }) => {
      const question = questions.get(id);
      if (question === undefined) throw new Error(`No question of this run has the turn ${id}.`);
      return question;
    },
    writer: (turn) => running().adapter.writer(turn),
    shown: (turn) => inTime('"shown"', async () => rig.shown(stage.questionOf(turn))),
    noteFamily: (family) => void families.add(family),
    ...(rig.keepsWhatItShowed && { keepsWhatItShowed: true }),
    ...(rig.blind && { blind: true }),
  };
  return stage;
}

const textOf = (event: AcceptedEvent['event']): string =>
  event.kind === 'ask' || event.kind === 'edit' ? event.message.text : '';

/** Checks the properties that every rig needs at run time, because a rig may be written in JavaScript. */
function checkedRig(rig: Rig): Rig {
  const needed = ['say', 'shown', 'close'] as const;
  const missing = needed.filter((name) => typeof rig?.[name] !== 'function');
  if (missing.length === 0) return rig;
  throw new Error(`"conform" must return a rig with the functions ${missing.join(', ')}.`);
}

function settingsOf(channel: Channel, rig: Rig): ConfiguredChannel {
  const { data, error } = channel.schema({}).safeParse(rig.settings);
  if (data !== undefined) return data;
  const faults = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  throw new Error(`The settings that the rig gives are not valid: ${faults}`);
}

function sharedOf(
  rig: Rig,
  { url, folder, project }: Pick<Server, 'url' | 'folder'> & Pick<Shared, 'project'>,
): Shared {
  return {
    publicUrl: url,
    host: '127.0.0.1',
    trustedProxies: [],
    data: folder,
    defaultAgent: 'knowledge',
    isReplicated: false,
    byEmail: false,
    project,
    ...rig.shared,
  };
}

async function start(
  configured: ConfiguredChannel,
  { shared, state, server }: { shared: Shared; state: Map<string, unknown>; server: Server },
) {
  const adapter = await inTime('"create"', () => configured.create(shared));
  const host = createHost(systemClock, state);
  server.serve(host);
  await inTime('"start"', async () => adapter.start(host));
  return { host, adapter };
}

async function shut(rig: Rig | undefined, server: Server): Promise<void> {
  await inTime('"close"', async () => rig?.close()).finally(() => server.close());
}

type Server = Awaited<ReturnType<typeof openServer>>;

async function openServer() {
  const folder = await mkdtemp(join(tmpdir(), 'parley-conform-'));
  let host: TestHost | undefined;
  let recording: Received[] | undefined;
  const server = createServer((request, response) => {
    if (recording !== undefined) note(request, recording);
    void handle(host, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    folder,
    async recorded(work: () => Promise<unknown>) {
      const requests: Received[] = [];
      recording = requests;
      await work().finally(() => {
        recording = undefined;
      });
      return requests;
    },
    async send({ method, path, headers, body }: Received) {
      const response = await fetch(`${url}${path}`, { method, headers, body });
      await response.body?.cancel();
    },
    /** Sends later requests to the handlers that this host's channel mounts. */
    serve: (next: TestHost) => {
      host = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Headers of a connection, which do not belong to the request itself. */
const CONNECTION = ['connection', 'host', 'content-length', 'transfer-encoding', 'keep-alive'];

/** Adds the request to the list once its body has arrived, without reading the body in place of the channel. */
function note(request: IncomingMessage, requests: Received[]): void {
  const chunks: Buffer[] = [];
  const push = request.push.bind(request);
  const { method = 'GET', url: path = '/' } = request;
  const headers = Object.fromEntries(
    Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !CONNECTION.includes(name) ? [[name, value]] : [],
    ),
  );
  request.push = (chunk: unknown, encoding) => {
    if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    if (chunk === null) requests.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
    return push(chunk, encoding);
  };
}

/**
 * Passes a request to the handler for its path. As in the bridge, the handler sees the rest of the address, without
 * that path.
 */
async function handle(
  host: TestHost | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = request.url ?? '/';
  const fits = (path: string) => url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`);
  const mount =
    host?.mounts.find(({ path }) => path !== '/' && fits(path)) ??
    host?.mounts.find(({ path }) => path === '/');
  if (mount === undefined) return void response.writeHead(404).end();
  const rest = mount.path === '/' ? url : url.slice(mount.path.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  try {
    await (mount.handler(request, response) as unknown);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}
