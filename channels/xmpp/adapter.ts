/** The adapter of the channel: its limits, and the parts that it starts. */

import {
  type AdapterHost,
  BridgeError,
  type ChannelAdapter,
  type Message,
  type ThreadRef,
  type Turn,
  withEvents,
} from 'parley/kit';
import { createBackground, type FamilyLimit, openTalk, waitingWords } from 'parley/kit/ladder';
import { createDeliver, type Deliver } from './deliver.ts';
import { createUploads } from './files.ts';
import { createArchive } from './inbound/archive.ts';
import { CatchUp } from './inbound/catch-up.ts';
import { Commands } from './inbound/commands.ts';
import { createPrograms } from './inbound/programs.ts';
import { createReceiver } from './inbound/receiver.ts';
import { createSent } from './inbound/sent.ts';
import { CHANNEL, domainOf, messageTo, NS, newId } from './protocol.ts';
import { type Room, Rooms } from './rooms.ts';
import { accountOf, type XmppConfig } from './settings.ts';
import { Connection } from './stream/connection.ts';
import { element } from './stream/xml.ts';
import { createWriter, type WriterDeps } from './writer.ts';

/** Maximum wait for a permit for a note, in milliseconds. Answers get permits first. */
const PERMIT_MS = 30_000;

export type Running = Awaited<ReturnType<typeof startXmpp>>;

export async function startXmpp(config: XmppConfig, host: AdapterHost) {
  const { clock, log, state } = host;
  const { jid, nick, emails, corrections, rooms: addresses, members = [domainOf(jid)] } = config;
  const ended = new AbortController();
  const { signal } = ended;
  const background = createBackground(log);
  const connection = new Connection({ account: accountOf(config), clock, log });
  const joined = (room: Room) => catchUp.room(room);
  const rooms = new Rooms({ connection, addresses, nick, clock, log, signal, joined });
  const deliver = createDeliver(connection, rooms, log);
  const archive = createArchive(connection);
  const sent = createSent(state, background, jid);
  const programs = createPrograms(connection, clock, signal);
  const uploads = createUploads(connection, domainOf(jid), members);
  const tell = createTell(host, deliver, signal);
  const talk = await openTalk({ host, background, signal, tell: ({ thread }, text) => tell(thread, text) });
  const noteShown = ({ thread, sender }: Message) => programs.answered(`${thread.room} ${sender.id}`);
  const refuse = async (message: Message, why: string): Promise<void> => {
    await talk.refuse(message, why);
    noteShown(message);
  };
  const acting = { host, rooms, sent, tenant: jid, members, emails };
  const commands = new Commands(connection, acting);
  const intake = { ...talk, ...acting, programs, refuse };
  const caughtUp = (room: Room | undefined) => catchUp.done(room);
  const receiver = createReceiver({ connection, deliver, archive, commands, intake, signal, caughtUp });
  const catchUp = new CatchUp({ archive, receiver, host, jid, rooms: addresses, signal, background });
  connection.start({
    async handle(stanza) {
      catchUp.heard();
      await receiver.handle(stanza);
    },
    began() {
      catchUp.begin();
      connection.send(element('presence', NS.client));
      rooms.joinAll();
      background.run('reading missed messages', () => catchUp.direct());
    },
  });
  const writing: WriterDeps = { host, deliver, archive, rooms, uploads, sent, corrections, jid };
  const loops = { messageShown: ({ message }: Turn) => noteShown(message) };
  return {
    isOnline: () => connection.isOnline(),
    openFile: uploads.open,
    /** Forgets a person in memory; the bridge deletes what is stored. */
    forget(person: string): void {
      rooms.forget(person);
      sent.forget(person);
    },
    writer: (turn: Turn) => withEvents(turn, createWriter(turn, writing), [sent, loops], clock),
    waiting: ({ message }: Turn, ahead: number, text = waitingWords(ahead)): void =>
      background.run('a waiting notice', () => tell(message.thread, text)),
    async stop() {
      await catchUp.save();
      ended.abort();
      await connection.stop();
      await background.settle();
    },
  };
}

/** Returns a function that sends a sentence of the bridge. It rejects if the server does not accept the sentence. */
function createTell({ permit }: AdapterHost, deliver: Deliver, signal: AbortSignal) {
  return async (thread: ThreadRef, text: string): Promise<void> => {
    const { tenant, room } = thread;
    const permitted = await permit({ tenant, room, family: 'post' }, PERMIT_MS, signal);
    const message = messageTo(thread, newId(), element('body', NS.client, {}, text));
    const { kind } = await deliver.send(message, thread, signal).finally(() => permitted?.answered());
    if (kind !== 'done') throw new Error('The XMPP server has not accepted a note.');
  };
}

/** Length of the window in which calls are counted, in seconds. */
const WINDOW_SECONDS = 4;

/**
 * Rate limits of the account. Servers limit the bytes of a connection, not its calls: prosody's default configuration
 * allows 10 kB/s, ejabberd's example 3 kB/s after a burst of 20 kB. Above the limit, both only read more slowly.
 * ejabberd's rooms may also refuse messages that follow too soon (`min_message_interval`; processone/ejabberd#2555).
 */
function limitsOf(messagesPerSecond: number): Readonly<Record<string, FamilyLimit>> {
  const windows = [{ calls: messagesPerSecond * WINDOW_SECONDS, ms: WINDOW_SECONDS * 1_000 }];
  const limit = { gapMs: 0, shared: [{ name: 'account', of: 'tenant', windows }] } as const;
  return {
    post: limit,
    remove: limit,
    upload: limit,
    // One correction of a message each second, or two while most of the account's calls are unused.
    edit: { ...limit, gapMs: 1_000, spareGapMs: 500, perMinute: messagesPerSecond * 60 },
    typing: { ...limit, yields: true },
    find: { gapMs: 500, strict: true },
  };
}

/** Creates the XMPP channel: rooms and direct chats of one account. */
export function createXmpp(config: XmppConfig): ChannelAdapter {
  let running: Running | undefined;
  const open = (): Running => {
    if (running) return running;
    throw new BridgeError('internal', 'XMPP was used before it was started.');
  };
  return {
    name: CHANNEL,
    limits: limitsOf(config.messagesPerSecond),
    abilities: {
      waiting: { say: async (turn, ahead, text) => open().waiting(turn, ahead, text) },
      answers: async () => open().isOnline(),
    },
    async start(host) {
      running = await startXmpp(config, host);
    },
    async stop() {
      await running?.stop();
      running = undefined;
    },
    async forget(target) {
      if (target.kind === 'person') running?.forget(target.person);
      return {};
    },
    writer: (turn) => open().writer(turn),
    openFile: (file, limit, signal) => open().openFile(file, limit, signal),
  };
}
