/** The XMPP adapter alone on a real server, without the rest of the bridge, for what must be seen at the wire. */

import { xml } from '@xmpp/client';
import { type Running, startXmpp } from '../../../channels/xmpp/adapter.ts';
import { xmppSettings } from '../../../channels/xmpp/settings.ts';
import { agentName, laneKey } from '../../../src/kit/ladder.ts';
import {
  type AdapterHost,
  type Intake,
  type Log,
  type Message,
  type ReplyDocument,
  type Turn,
  turnId,
} from '../../../src/kit.ts';
import type { XmppPerson } from '../../fakes/xmpp/person.ts';
import { DOMAIN, PASSWORD } from '../../fakes/xmpp/servers.ts';
import { xmppHost } from './xmpp-host.ts';

export const BRIDGE = `parley@${DOMAIN}`;
export const NICK = 'Parley';

export interface AdapterStage {
  readonly running: Running;
  /** Everything that the adapter has passed to the bridge, in order. */
  readonly taken: readonly Intake[];
  /** The questions among them. */
  questions(): readonly Message[];
  /** Writes a document as the bridge does. Resolves with the last outcome when no call is left. */
  write(document: ReplyDocument, turn: Turn): Promise<string>;
}

interface AdapterOptions {
  readonly port: number;
  readonly rooms: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly host?: Partial<AdapterHost>;
  readonly jid?: string;
  /** Called for each event; its result is that of the bridge. */
  readonly answer?: (event: Intake) => Promise<void> | void;
}

export async function startAdapter({
  port,
  rooms,
  settings = {},
  host = {},
  jid = BRIDGE,
  answer = () => undefined,
}: AdapterOptions): Promise<AdapterStage> {
  const taken: Intake[] = [];
  const config = xmppSettings({}).parse({
    ...{ jid, password: PASSWORD, server: `127.0.0.1:${port}`, tls: 'none', rooms, messagesPerSecond: 1_000 },
    ...settings,
  });
  const running = await startXmpp(
    config,
    xmppHost({
      async intake(event) {
        taken.push(event);
        await answer(event);
        return { kind: 'kept', turn: turnId(`turn-${taken.length}`), ahead: 0 };
      },
      noteAct: async () => undefined,
      ...host,
    }),
  );
  return {
    ...{ running, taken },
    questions: () => taken.flatMap((each) => (each.kind === 'ask' ? [each.message] : [])),
    async write(document, turn) {
      const { signal } = new AbortController();
      const writer = running.writer(turn);
      let screen = writer.blank();
      let last = 'nothing';
      for (let now = 1; now <= 300; now += 1) {
        const [move] = writer.next(screen, document, now);
        if (move === undefined) return last;
        const outcome = await writer.perform(move, signal);
        last = outcome.kind === 'refused' ? outcome.why : outcome.kind;
        if (last === 'busy' || last === 'unknown') await new Promise((resolve) => setTimeout(resolve, 50));
        screen = writer.after(screen, move, outcome, now);
      }
      throw new Error(`The reply did not end: ${last}.`);
    },
  };
}

/** A log that adds its entries to `lines`, with the messages of their errors. */
export function logInto(lines: string[]): Log {
  const write = (fields: unknown, message?: string): void => {
    const { err } = fields as { readonly err?: unknown };
    lines.push(`${message ?? ''} ${err instanceof Error ? err.message : ''}`);
  };
  return { debug: write, info: write, warn: write, error: write };
}

/** Resolves when the person sees the bridge in the room, and the bridge knows that it is there. */
export async function untilJoined(person: XmppPerson, room: string): Promise<void> {
  await person.sees(
    ({ name, attrs }) =>
      name === 'presence' && attrs.from === `${room}/${NICK}` && attrs.type !== 'unavailable',
  );
  await settled(person, room);
}

const DISCO = 'http://jabber.org/protocol/disco#info';

/** Resolves once the bridge has read everything that the person had sent. Servers answer requests in order. */
export async function settled(person: XmppPerson, room: string): Promise<void> {
  await person.request(room, 'get', xml('query', { xmlns: DISCO }));
  await person.request(`${room}/${NICK}`, 'get', xml('query', { xmlns: DISCO }));
}

/** A turn that answers a message. */
export const turnFor = (message: Message, nth = 1): Turn => ({
  ...{ id: turnId(`turn-${message.id}-${nth}`), lane: laneKey(message.id), message, keptAt: 0, attempt: 1 },
  ...{ origin: { kind: 'message', key: message.id, revision: 0 }, phase: 'new', state: 'running' },
});

/** A question that nobody asked, for a document that is only written. */
export function questionIn(room: string, key: string): Message {
  const thread = { channel: 'xmpp', tenant: BRIDGE, room, key, kind: 'room' } as const;
  // Another person than those who are in the room, because the adapter counts how quickly a person answers.
  const sender = { id: `nobody@${DOMAIN}`, name: 'nobody', standing: 'member' } as const;
  return { id: key, thread, sender, text: 'What?', quoted: [], files: [], sentAt: 0, revision: 0 };
}

export const answerTo = (turn: Turn, text: string, over: Partial<ReplyDocument> = {}): ReplyDocument => ({
  ...{ turn: turn.id, agent: agentName('half'), version: 1, state: 'done', rewrites: 0, retry: false, text },
  ...{ steps: [], sources: [], suggestions: [], notices: [], media: [] },
  ...over,
});
