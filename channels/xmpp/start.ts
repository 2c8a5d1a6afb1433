/** Assembles the adapter's parts and starts it. */

import {
  type AdapterHost,
  type Background,
  createBackground,
  type FileRef,
  type ThreadRef,
  type Turn,
  withEvents,
} from 'parley/kit';
import { createStoringAgain, openTalk, type Talk, waitingWords } from 'parley/kit/ladder';
import { accountOf } from './account.ts';
import { createDeliver, type Deliver } from './deliver.ts';
import { createUploads } from './files.ts';
import type { Actor } from './inbound/actions.ts';
import { createArchive } from './inbound/archive.ts';
import { type CatchUp, createCatchUp } from './inbound/catch-up.ts';
import { createCommands } from './inbound/commands.ts';
import { createPrograms } from './inbound/programs.ts';
import { createReceiver, type Receiver } from './inbound/receiver.ts';
import { createSent } from './inbound/sent.ts';
import { createTurns, type Turns } from './inbound/turns.ts';
import { CHANNEL, domainOf, messageTo, NS, newId } from './protocol.ts';
import { createRooms, type Room } from './rooms.ts';
import type { XmppConfig } from './settings.ts';
import { type Connection, createConnection } from './stream/connection.ts';
import { element } from './stream/xml.ts';
import { createWriter } from './write/index.ts';
import type { WriterDeps } from './write/perform.ts';

/** Maximum wait for a permit for a note, in milliseconds. Answers get permits first. */
const PERMIT_MS = 30_000;

export type Running = Awaited<ReturnType<typeof startXmpp>>;

export async function startXmpp(config: XmppConfig, host: AdapterHost) {
  const { clock, log } = host;
  const { jid } = config;
  const ended = new AbortController();
  const { signal } = ended;
  const background = createBackground(log);
  const turns = createTurns(clock);
  const parts = openParts(config, host, background, signal);
  const { connection, rooms, deliver, archive, sent } = parts;
  const tell = noteSender(host, { jid, deliver, signal });
  const talk = await openTalk({
    ...{ host, background, signal },
    tell: ({ thread }, text) => tell(thread, text),
  });
  const receiver = openReceiver(config, {
    ...{ parts, host, talk, turns, signal },
    caughtUp: (room) => catchUp.done(room),
  });
  const catchUp: CatchUp = createCatchUp({
    ...{ archive, receiver, host, jid, signal, background },
    rooms: config.rooms,
  });
  parts.onJoined((room) => catchUp.room(room));
  connection.open({
    ...{ clock, log, account: accountOf(config) },
    async handle(stanza) {
      catchUp.heard();
      await receiver.handle(stanza);
    },
    began() {
      catchUp.begin();
      connection.get().send(element('presence', NS.client));
      rooms.joinAll();
      background.run('reading missed messages', () => catchUp.direct());
    },
  });
  const writing: WriterDeps = { ...parts, host, corrections: config.corrections, jid };
  const loops = {
    messageShown: ({ message: { thread, sender } }: Turn) => turns.answered(`${thread.room} ${sender.id}`),
  };
  return {
    isOnline: () => connection.get().isOnline(),
    openFile: (file: FileRef, limit: number, within: AbortSignal) => parts.uploads.open(file, limit, within),
    /** Forgets a person in memory; the bridge deletes what is stored. */
    forget(person: string): void {
      rooms.forget(person);
      sent.forget(person);
    },
    writer: (turn: Turn) => withEvents(turn, createWriter(turn, writing), [sent, loops], clock),
    waiting(turn: Turn, ahead: number, text = waitingWords(ahead)): void {
      background.run('a waiting notice', () => tell(turn.message.thread, text));
    },
    async stop() {
      await catchUp.save();
      ended.abort();
      await connection.get().stop();
      await background.settle();
    },
  };
}

/** Creates the parts that send and look up. They use the connection as soon as `connection.open` was called. */
function openParts(config: XmppConfig, host: AdapterHost, background: Background, signal: AbortSignal) {
  const { clock, log } = host;
  const { jid, nick, members = [domainOf(jid)] } = config;
  let opened: Connection | undefined;
  let joined = (_room: Room): Promise<void> => Promise.resolve();
  const connection = (): Connection => {
    if (opened === undefined) throw new Error('The connection is not open.');
    return opened;
  };
  const rooms = createRooms({
    ...{ connection, addresses: config.rooms, nick, clock, log, signal },
    joined: (room) => joined(room),
  });
  return {
    ...{ rooms, members },
    sent: createSent({ host, background, tenant: jid }),
    archive: createArchive(connection),
    uploads: createUploads(connection, domainOf(jid), members),
    deliver: createDeliver({ connection, rooms, log }),
    connection: {
      get: connection,
      open(deps: Parameters<typeof createConnection>[0]): void {
        opened = createConnection(deps);
      },
    },
    onJoined(call: typeof joined): void {
      joined = call;
    },
  };
}

interface Receiving {
  readonly parts: ReturnType<typeof openParts>;
  readonly host: AdapterHost;
  readonly talk: Talk;
  readonly turns: Turns;
  readonly signal: AbortSignal;
  readonly caughtUp: CatchUp['done'];
}

/** Creates the parts that read what people write and what their clients ask for. */
function openReceiver(
  config: XmppConfig,
  { parts, host, talk, turns, signal, caughtUp }: Receiving,
): Receiver {
  const { jid, emails } = config;
  const { clock, log } = host;
  const { connection, rooms, deliver, archive, sent, members } = parts;
  const people = { members, emails };
  const acting = {
    ...{ host, sent, tenant: jid },
    refusal: ({ person, room, kind }: Actor) =>
      host.refusal(person, 'ask', { channel: CHANNEL, tenant: jid, room, kind }),
  };
  return createReceiver({
    ...{ connection: connection.get, rooms, deliver, archive, clock, log, jid, caughtUp },
    commands: createCommands({ rooms, people, clock, acting }),
    storing: createStoringAgain({ clock, log, stopping: () => signal.aborted }),
    intake: {
      ...{ ...talk, host, rooms, sent, turns, jid, ...people },
      programs: createPrograms(connection.get, signal),
      async refuse(message, why) {
        await talk.refuse(message, why);
        turns.answered(`${message.thread.room} ${message.sender.id}`);
      },
    },
  });
}

interface NoteDeps {
  readonly jid: string;
  readonly deliver: Deliver;
  readonly signal: AbortSignal;
}

/** Returns a function that sends a sentence of the bridge. Rejects if the server does not accept it. */
const noteSender =
  ({ permit }: Pick<AdapterHost, 'permit'>, { jid, deliver, signal }: NoteDeps) =>
  async (thread: ThreadRef, text: string): Promise<void> => {
    const permitted = await permit({ tenant: jid, room: thread.room, family: 'message' }, PERMIT_MS, signal);
    const message = messageTo(thread, newId(), element('body', NS.client, {}, text));
    const { kind } = await deliver.send(message, thread, signal).finally(() => permitted?.answered());
    if (kind !== 'done') throw new Error('The XMPP server has not accepted a note.');
  };
