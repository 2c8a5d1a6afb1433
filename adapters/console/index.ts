import express from 'express';
import { agentName, createEngagement, type ForgetTarget, PROOF_PATH } from '../../src/kit/ladder.ts';
import {
  type AdapterHost,
  BridgeError,
  type ChannelAdapter,
  documentWriter,
  type Outcome,
  type ReplyDocument,
  type ReplyWriter,
  type Turn,
  turnId,
} from '../../src/kit.ts';
import { Chat } from './chat/chat.ts';
import { fileFolder } from './chat/file-folder.ts';
import { FileStore } from './chat/files.ts';
import { CHANNEL, TENANT } from './chat/inbound.ts';
import { configuredPeople, SignedInPeople } from './chat/people.ts';
import type { ChatStore } from './chat/ports.ts';
import { filesInDatabase } from './chat/postgres-files.ts';
import { DIRECT_THREAD } from './chat/records.ts';
import { isOpen, type ReplyPlace } from './chat/reply-record.ts';
import { Rooms } from './chat/rooms.ts';
import { SqliteChat } from './chat/sqlite.ts';
import type { ReplyExtras } from './chat/views.ts';
import { type ConsoleConfig, tokenPerson } from './config.ts';
import { countInConsole, forgetInConsole } from './forgetting.ts';
import { openGate, tokenGate } from './http/gate.ts';
import { addReturn } from './http/linking.ts';
import { servePage } from './http/page.ts';
import { providerGate } from './http/provider-gate.ts';
import { answerError, createRoutes, guardSource } from './http/routes.ts';
import { SignIn } from './http/sign-in.ts';
import { Streams } from './http/streams.ts';
import { Sessions } from './identity/sessions.ts';
import { moveLimits, sharedMoveLimits } from './limits.ts';
import type { Parts } from './lookups.ts';
import { endLost, offerDue, openShared } from './talk.ts';

/** Creates the adapter of the web console, a small team chat that the bridge itself serves. */
export function createConsole(config: ConsoleConfig): ChannelAdapter {
  let running: Running | undefined;
  const { signIn } = config;
  const open = (): Running => {
    if (running) return running;
    throw new BridgeError('internal', 'The console was used before it was started.');
  };
  return {
    name: CHANNEL,
    limits: config.isReplicated ? sharedMoveLimits : moveLimits,
    abilities: {
      waiting: { say: async (turn, ahead) => open().chat.postWaiting(placeOf(turn), ahead) },
      ended: (turn) => open().ended(turn),
      ...(signIn && {
        linkPage: (token) => `${signIn.pageAddress}#/link/${token}`,
        isAccepted: async (person, use) => (await open().recheck?.isAccepted(person, use)) ?? true,
      }),
    },
    async start(host) {
      running = await startConsole(config, host);
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    probe: async () => running?.probe(),
    forget: (target) => open().forget(target),
    stored: (target) => open().stored(target),
    writer: (turn) => createWriter(open().chat, placeOf(turn)),
    openFile: async (file, limit, signal) => openShared(open().files, file.id, limit, signal),
  };
}

/** Creates the writer of a reply. A reply is one message: `post` creates it once per turn, and `edit` changes it. */
function createWriter(chat: Chat, place: ReplyPlace): ReplyWriter {
  return documentWriter({
    async post(document) {
      const id = await chat.postReply(place, document);
      return id === undefined ? GONE : { kind: 'done', id };
    },
    async edit(edit) {
      const edited = await chat.editReply(place, edit);
      if (edited === 'gone') return GONE;
      return edited === 'behind' ? { kind: 'unknown' } : { kind: 'done', id: edit.id };
    },
    async remove(id) {
      await chat.removeReply(place, id);
      return { kind: 'done' };
    },
  });
}

const GONE: Outcome = { kind: 'refused', why: 'gone' };

type Running = Awaited<ReturnType<typeof startConsole>>;

async function startConsole(config: ConsoleConfig, host: AdapterHost) {
  const { clock } = host;
  const { store, bytes } = await openStorage(config, host);
  const chat = new Chat({ store, clock, botName: config.botName, extras: extrasFrom(host) });
  const streams = new Streams(store.feed);
  const { gate, people, sessions, recheck, seal } = await openGateOf(config, host, store, streams);
  const rooms = new Rooms({ store, people, clock, agents: () => host.agents() });
  await rooms.load();
  // After missed events, pages read everything again. While no events arrive, they connect to another replica.
  store.feed.follow({
    apply: () => undefined,
    load: async () => streams.close(),
    lost: () => streams.close(),
  });
  const files = new FileStore(bytes, store, clock, config.fileDays);
  await files.prepare();
  const guarded = gate.kind !== 'none';
  const engagement = createEngagement(host.state, namesOf(config, host));
  const locales = new Map<string, string>();
  const parts = { config, host, engagement, store, chat, rooms, people, guarded, files, locales };
  const routes = createRoutes({ ...parts, streams, gate, seal });
  host.mount('/console', (request, response) => void routes(request, response));
  const back = express().disable('x-powered-by').use(guardSource(config));
  addReturn(back, host);
  back.use(answerError(host));
  host.mount(PROOF_PATH, (request, response) => void back(request, response));
  const page = express().disable('x-powered-by');
  page.use(guardSource(config), ...servePage(config.pageFolder), answerError(host));
  host.mount('/', (request, response) => void page(request, response));
  await endLost(parts);
  // Another replica may be offering newer messages.
  await offerDue(parts, store.isShared ? DUE_AGE_MS : 0);
  const ended = new AbortController();
  const beating = streams.beat(clock, ended.signal);
  const tidying = files.keepTidy(ended.signal, host.log);
  const following = store.run(clock, host.log, ended.signal);
  const offering = store.isShared ? offerRegularly(parts, ended.signal) : undefined;
  const filling = store.index
    .fill(() => clock.wait(0, ended.signal))
    .catch((error: unknown) => {
      if (!ended.signal.aborted) host.log.warn({ error: String(error) }, 'old messages could not be indexed');
    });
  const startedAt = clock.now();
  return {
    chat,
    files,
    recheck,
    /**
     * For a turn from an earlier run of the bridge, returns the state in which the turn ended, according to the chat's
     * storage. Returns undefined if the turn has not ended, or is from this run. With replicas, another replica may have
     * ended any turn.
     */
    ended: async (turn: Turn) =>
      store.isShared || turn.keptAt < startedAt ? endedEarlier(turn, chat, host) : undefined,
    probe: () => store.probe(),
    forget: (target: ForgetTarget) => forgetInConsole(target, parts, sessions),
    stored: (target: ForgetTarget) => countInConsole(target, parts, sessions),
    async stop() {
      ended.abort();
      streams.close();
      await Promise.all([beating, tidying, filling, following, offering]);
      await recheck?.settle();
      await chat.flush();
      await store.close();
    },
  };
}

/** Age from which a message that was not offered to the bridge belongs to a replica that has ended, in milliseconds. */
const DUE_AGE_MS = 60_000;

/** Offers the messages of replicas that ended before they could offer them, until the signal aborts. */
async function offerRegularly(parts: Parts, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts.host;
  while (!signal.aborted) {
    await clock.wait(DUE_AGE_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    await offerDue(parts, DUE_AGE_MS).catch((err: unknown) =>
      log.warn({ err }, 'Messages of other replicas could not be looked up.'),
    );
  }
}

/** Opens the chat's storage: a file and a folder, or the database of the replicas. */
async function openStorage({ file }: ConsoleConfig, { database }: AdapterHost) {
  if (database !== undefined) {
    const { PostgresChat } = await import('./chat/postgres.ts');
    return { store: await PostgresChat.open(database), bytes: filesInDatabase(database) };
  }
  return { store: new SqliteChat(file), bytes: fileFolder(`${file}.files`) };
}

/** Returns a function that lists the names of the bot and the agents. */
const namesOf =
  ({ botName }: ConsoleConfig, host: AdapterHost): (() => readonly string[]) =>
  () => [botName, ...host.agents().map(({ name }) => name)];

/** Creates the access control of the console, and the people whom it knows. */
async function openGateOf(config: ConsoleConfig, host: AdapterHost, store: ChatStore, streams: Streams) {
  const secure = config.secureCookies ?? false;
  const configured = configuredPeople(config.people);
  if (config.signIn !== undefined) {
    const people = new SignedInPeople(store, namesOf(config, host));
    const { openSeal } = await import('./identity/seal.ts');
    const seal = await openSeal(host.secrets);
    const sessions = new Sessions(store, seal, host.clock, (error) =>
      host.log.warn({ error: String(error) }, 'a session of the console could not be stored'),
    );
    sessions.onEnd = () => streams.endInvalid();
    store.feed.follow(sessions);
    for (const part of [people, sessions]) await part.load();
    const { Provider } = await import('./identity/provider.ts');
    const provider = new Provider(config.signIn, host.clock);
    const { Recheck } = await import('./identity/recheck.ts');
    const recheck = new Recheck({
      provider,
      host,
      tenant: TENANT,
      offline: config.signIn.scopes.includes('offline_access'),
      refused: async (person) => void (await sessions.endAll({ person })),
    });
    const gate = providerGate({ provider, sessions, recheck, people, seal, host, secure });
    return { people, sessions, recheck, seal, gate };
  }
  if (config.token === undefined) return { people: configured, gate: openGate };
  const [holder = tokenPerson] = config.people;
  const signIn = new SignIn(config.token, host.clock, secure);
  return { people: configured, gate: tokenGate(signIn, holder, host) };
}

/**
 * Returns the state in which the turn ended, according to the chat's storage. The inbox may still contain the turn,
 * because the inbox's file may be older than the chat's.
 */
async function endedEarlier(
  turn: Turn,
  chat: Chat,
  { log }: AdapterHost,
): Promise<ReplyDocument['state'] | undefined> {
  const state = await chat.reader.endOf(placeOf(turn));
  if (state !== undefined)
    log.warn(
      { turn: turn.id, state },
      'A question is still open in parley.sqlite, but its answer has ended in the console, so the question is not asked again. Either the bridge was killed at the end of the answer, or parley.sqlite is older than console.sqlite.',
    );
  return state;
}

function extrasFrom(host: AdapterHost): ReplyExtras {
  return {
    link(media, { turn, agent, account }) {
      if (agent === undefined) return undefined;
      const from = { turn: turnId(turn), agent: agentName(agent) };
      return host.linkPath(media, account === undefined ? from : { ...from, account });
    },
    otherRights({ root, turn, agent, account }) {
      if (agent === undefined) return false;
      const room = { channel: CHANNEL, tenant: TENANT, room: '', key: root ?? turn, kind: 'room' } as const;
      const answerer = { agent: agentName(agent), ...(account !== undefined && { account }) };
      return host.otherRights(room, answerer);
    },
    offersCorrection(reply, { room, thread }) {
      const { agent, text } = reply;
      if (agent === undefined || text === '' || isOpen(reply)) return false;
      const kind = thread === DIRECT_THREAD ? 'direct' : 'room';
      const place = { channel: CHANNEL, tenant: TENANT, room, key: thread, kind } as const;
      return host.corrections.offered({ thread: place, agent: agentName(agent) });
    },
  };
}

function placeOf({ id, attempt, reply, origin, message }: Turn): ReplyPlace {
  const of = origin.kind === 'act' || !('of' in origin) ? reply : origin.of;
  return {
    turn: id,
    attempt,
    root: reply ?? id,
    ...(of === undefined ? {} : { of }),
    question: message.id,
    room: message.thread.room,
    thread: message.thread.key,
  };
}
