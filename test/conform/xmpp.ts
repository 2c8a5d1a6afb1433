/**
 * XMPP as a channel that `parley conform` can check, on a real server: `parley conform test/conform/xmpp.ts` runs
 * prosody.
 */

import { type XmlElement, xml } from '@xmpp/client';
import { xmpp } from '../../adapters/xmpp/channel.ts';
import type { Channel, OpenRig, RigQuestion } from '../../src/kit/package.ts';
import { connectPerson, roomOf, type SeenMessage, type XmppPerson } from '../fakes/xmpp/person.ts';
import { DOMAIN, PASSWORD, type ServerName, startServer } from '../fakes/xmpp/servers.ts';

export const channel = (): Channel => xmpp;

/**
 * The questions are distributed over so many rooms, because the adapter does not answer people who answer an answer
 * within 2 s several times in a row: they are probably programs.
 */
const ROOMS = Array.from({ length: 100 }, (_, at) => roomOf(`conform-${at}`));
const NICK = 'Parley';
const DISCO = 'http://jabber.org/protocol/disco#info';
const PEOPLE = ['ada', 'ben', 'eve'] as const;
/** Maximum time until the bridge is in the room, in milliseconds. */
const JOINED_MS = 9_000;

export const openXmpp =
  (name: ServerName): OpenRig =>
  async () => {
    const server = await startServer(name, ['parley', ...PEOPLE], { isUnlimited: true });
    const people = new Map<string, XmppPerson>();
    const connect = async (user: string): Promise<void> => {
      const person = await connectPerson(server.port, user);
      for (const room of ROOMS) await person.join(room);
      people.set(user, person);
    };
    await Promise.all(PEOPLE.map(connect));
    const personOf = (user: string): XmppPerson => {
      const person = people.get(user);
      if (person === undefined) throw new Error(`${user} is not connected.`);
      return person;
    };
    const places = new Map<string, string>();
    const roomFor = ({ thread }: RigQuestion): string => {
      const room = places.get(thread) ?? ROOMS[places.size % ROOMS.length] ?? '';
      places.set(thread, room);
      return room;
    };
    const ids = new Map<string, string>();
    const idOf = ({ key }: RigQuestion): string => {
      const id = ids.get(key);
      if (id === undefined) throw new Error(`${key} was never asked.`);
      return id;
    };
    const ada = personOf('ada');
    /** The app's messages in the thread, once everything that was sent before has arrived. */
    const replies = async (question: RigQuestion): Promise<readonly SeenMessage[]> => {
      const room = roomFor(question);
      await settled(ada, room);
      const isOwn = ({ from, thread }: SeenMessage) =>
        from === `${room}/${NICK}` && thread === question.thread;
      return ada.seen(room).filter((each) => isOwn(each) && !each.isRetracted);
    };
    const says = async (question: RigQuestion, text: string, extra: readonly XmlElement[] = []) =>
      personOf(question.person).says(roomFor(question), text, { thread: question.thread, extra });
    return {
      settings: {
        jid: `parley@${DOMAIN}`,
        password: PASSWORD,
        server: `127.0.0.1:${server.port}`,
        tls: 'none',
        rooms: ROOMS,
        messagesPerSecond: 1_000,
      },
      async say(question) {
        await joined(ada, roomFor(question));
        ids.set(question.key, await says(question, `${NICK}: ${question.text}`));
        // XMPP has no acknowledgement of a message by the app that reads it.
        return {};
      },
      async edit(question, text) {
        const replace = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: idOf(question) });
        await says(question, `${NICK}: ${text}`, [replace]);
        return {};
      },
      shown: async (question) => (await replies(question)).map(({ text }) => text),
      told: async (question) => (await replies(question)).map(({ text }) => text),
      // Bodies are plain text. A client loads an image only if the message names its address (XEP-0066).
      live: async (question) => ({
        mentions: [],
        images: (await replies(question)).flatMap(({ url }) => url ?? []),
        links: [],
      }),
      async close() {
        for (const person of people.values()) await person.close();
        await server.stop();
      },
    };
  };

export const conform: OpenRig = openXmpp('prosody');

/** Resolves when the bridge is in the room. */
async function joined(person: XmppPerson, room: string): Promise<void> {
  for (const deadline = Date.now() + JOINED_MS; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (presence(person, room) !== undefined) return;
    if (Date.now() > deadline) throw new Error('The bridge did not join the room.');
  }
}

/** Returns the last presence of the bridge in the room; undefined if it is not there. */
function presence({ stanzas }: XmppPerson, room: string): XmlElement | undefined {
  const last = stanzas.findLast((each) => each.name === 'presence' && each.attrs.from === `${room}/${NICK}`);
  return last?.attrs.type === 'unavailable' ? undefined : last;
}

/** Resolves after everything that the room and the bridge had sent. Servers answer requests in order. */
async function settled(person: XmppPerson, room: string): Promise<void> {
  const user = presence(person, room)?.getChild('x', 'http://jabber.org/protocol/muc#user');
  const bridge = user?.getChild('item')?.attrs.jid;
  if (bridge !== undefined) await person.request(bridge, 'get', xml('query', { xmlns: DISCO }));
  await person.request(room, 'get', xml('query', { xmlns: DISCO }));
}
