/** A real XMPP server, a bridge with a scripted platform, and people with clients. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { xml } from '@xmpp/client';
import { type ScriptedPlatform, startPlatform } from '../../fakes/history/platform.ts';
import { idOf, questionOf, type Saying } from '../../fakes/history/saying.ts';
import { xmppLine } from '../../fakes/xmpp/entry.ts';
import {
  connectPerson,
  roomOf,
  type SeenMessage,
  shownIn,
  type XmppPerson,
} from '../../fakes/xmpp/person.ts';
import {
  DOMAIN,
  PASSWORD,
  type ServerName,
  type ServerOptions,
  startServer,
  type XmppServer,
} from '../../fakes/xmpp/servers.ts';
import { makeDataFolder, type RunningParley, runParley } from './running-parley.ts';

export const BRIDGE = `parley@${DOMAIN}`;
export const ROOM = roomOf('field');
const NICK = 'Parley';
const PEOPLE = ['ann', 'ben', 'robot'] as const;

export interface XmppStage {
  readonly server: XmppServer;
  readonly platform: ScriptedPlatform;
  parley(): RunningParley;
  person(user: (typeof PEOPLE)[number]): XmppPerson;
  /** Returns the bridge's messages that a person sees in a place, the newest version of each. */
  shown(place: string, user?: (typeof PEOPLE)[number]): readonly SeenMessage[];
  /** Returns a question with an answer of its own, and the answer's last words. */
  question(saying?: Partial<Saying>): { readonly id: string; readonly text: string };
  /** Returns what the archive of a room holds of an answer: its last text, and the number of its messages. */
  archived(room: string, id: string): Promise<{ readonly text: string; readonly posts: number }>;
  /** Returns the verdicts of all feedback. */
  feedback(): readonly unknown[];
  startBridge(): Promise<void>;
  /** Connects the people again, because the server was restarted. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

interface StageOptions extends ServerOptions {
  /** Further members of the configuration file. */
  readonly config?: string;
}

let asked = 0;

export async function openStage(name: ServerName, options: StageOptions = {}): Promise<XmppStage> {
  const [server, platform, data] = await Promise.all([
    startServer(name, ['parley', ...PEOPLE], options),
    startPlatform(),
    makeDataFolder(),
  ]);
  const file = join(data.path, 'parley.yaml');
  const agent = '{ interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } }';
  const channel = xmppLine({
    ...{ jid: BRIDGE, password: PASSWORD, server: `127.0.0.1:${server.port}`, tls: 'none', rooms: [ROOM] },
    messagesPerSecond: 100,
  });
  await writeFile(
    file,
    `platform: { baseUrl: '${platform.url}' }\nagents: { half: ${agent} }\n${channel}\n${options.config ?? ''}`,
  );
  let parley: RunningParley | undefined;
  const people = new Map<string, XmppPerson>();
  const person = (user: string): XmppPerson => {
    const found = people.get(user);
    if (found === undefined) throw new Error(`${user} is not connected.`);
    return found;
  };
  const connect = async (): Promise<void> => {
    for (const user of PEOPLE) {
      const person = await connectPerson(server.port, user);
      await person.join(ROOM);
      people.set(user, person);
    }
    // Where a room hides addresses, only people whom its owner has made members count as members.
    const item = xml('item', { affiliation: 'member', jid: `ben@${DOMAIN}` });
    const admit = xml('query', { xmlns: 'http://jabber.org/protocol/muc#admin' }, item);
    await person('ann').request(ROOM, 'set', admit);
  };
  const stage: XmppStage = {
    ...{ server, platform, person },
    parley() {
      if (parley === undefined) throw new Error('The bridge is not running.');
      return parley;
    },
    shown(place, user = 'ann') {
      const own = place === ROOM ? `${ROOM}/${NICK}` : undefined;
      const seen = person(user).seen(place);
      return seen.filter(({ from, isRetracted }) => !isRetracted && (own === undefined || from === own));
    },
    question(saying = {}) {
      asked += 1;
      const id = idOf(asked);
      return { id, text: questionOf({ id, ms: 600, everyMs: 50, chars: 400, ...saying }) };
    },
    async archived(room, id) {
      const messages = await person('ann').archive(room);
      const shown = shownIn(messages, room).filter(
        ({ text }) => text.includes(`canary=${id}`) && !text.includes('say {'),
      );
      return { text: shown.at(-1)?.text ?? '', posts: shown.length };
    },
    feedback() {
      const store = new DatabaseSync(join(data.path, 'parley.sqlite'), { readOnly: true });
      try {
        return store
          .prepare('SELECT verdict FROM feedback')
          .all()
          .map(({ verdict }) => verdict);
      } finally {
        store.close();
      }
    },
    async startBridge() {
      parley = await runParley(data, { PARLEY_CONFIG: file, PARLEY_LOG_LEVEL: 'debug' });
      await inRoom(person('ann')).catch(async (thrown: unknown) => {
        throw new Error(`${parley?.output()}\n${(await server.log()).slice(-40_000)}`, { cause: thrown });
      });
    },
    reconnect: connect,
    async close() {
      await parley?.terminate();
      await Promise.all([...people.values()].map((each) => each.close()));
      await Promise.all([server.stop(), platform.close(), data.remove()]);
    },
  };
  await connect();
  await stage.startBridge();
  return stage;
}

/** Resolves when the bridge is in the room. */
async function inRoom(person: XmppPerson): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const last = person.stanzas.findLast(
      ({ name, attrs }) => name === 'presence' && attrs.from === `${ROOM}/${NICK}`,
    );
    if (last !== undefined && last.attrs.type !== 'unavailable') return;
    if (Date.now() > deadline) throw new Error('The bridge did not join the room.');
  }
}
