/**
 * The rig of XMPP, on a real server: `parley conform channels/xmpp --rig test/conform/xmpp.ts` runs prosody.
 */

import { type XmlElement, xml } from '@xmpp/client';
import type { OpenRig, RigQuestion } from '../../src/kit/package.ts';
import { startLyingProxy } from '../fakes/xmpp/lying-proxy.ts';
import {
  connectPerson,
  roomOf,
  type Saying,
  type SeenMessage,
  type XmppPerson,
} from '../fakes/xmpp/person.ts';
import { DOMAIN, PASSWORD, type ServerName, startServer } from '../fakes/xmpp/servers.ts';

export { channel } from '../../channels/xmpp/channel.ts';

/**
 * The questions are spread over this many rooms, because people write again at once: the adapter takes a person who
 * writes within 2 s after an answer, several times in a row, for a program, and stops answering.
 */
const ROOMS = Array.from({ length: 100 }, (_, at) => roomOf(`conform-${at}`));
const NICK = 'Parley';
const DISCO = 'http://jabber.org/protocol/disco#info';
const PEOPLE = ['ada', 'ben', 'eve'] as const;
/** Maximum time until the bridge is in the room, in milliseconds. */
const JOINED_MS = 9_000;
/** Time in which the bridge says why a press was refused, in milliseconds. */
const TOLD_MS = 1_000;
const RETRACT = 'urn:xmpp:message-retract:1';
const FALLBACK = 'urn:xmpp:fallback:0';
/** No server refuses a message because of its form, so `invalid` is missing. */
const FAULTS = ['lost', 'hidden', 'hang', 'rate', 'busy', 'gone'] as const;

export const openXmpp =
  (name: ServerName): OpenRig =>
  async () => {
    // If rooms hid addresses, a person would have another id in each room, and no rule could name `eve`.
    const server = await startServer(name, ['parley', ...PEOPLE], {
      isUnlimited: true,
      showsAddresses: true,
    });
    const proxy = await startLyingProxy(server.port);
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
    const says = async (question: RigQuestion, text: string, how: Saying = {}) =>
      personOf(question.person).says(roomFor(question), text, { thread: question.thread, ...how });
    return {
      settings: {
        jid: `parley@${DOMAIN}`,
        password: PASSWORD,
        server: `127.0.0.1:${proxy.port}`,
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
      async repeat(question) {
        await says(question, `${NICK}: ${question.text}`, { id: idOf(question) });
        return {};
      },
      async edit(question, text) {
        const replace = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: idOf(question) });
        await says(question, `${NICK}: ${text}`, { extra: [replace] });
        return {};
      },
      async remove(question) {
        const room = roomFor(question);
        const own = personOf(question.person);
        // The room's id names the message (XEP-0424). It comes with the room's copy of the message.
        await settled(own, room);
        const id = own.seen(room).find((each) => each.id === idOf(question))?.stanzaId;
        const extra = [
          xml('retract', { xmlns: RETRACT, id }),
          xml('fallback', { xmlns: FALLBACK, for: RETRACT }),
        ];
        await says(question, 'This person retracted a message.', { extra });
        return {};
      },
      async echo(question) {
        // Another client of the bridge's account writes; the room sends the message to all clients of the account.
        const own = await connectPerson(server.port, 'parley');
        await own.join(roomFor(question), NICK);
        await own.says(roomFor(question), `${NICK}: ${question.text}`, { thread: question.thread });
        await settled(own, roomFor(question));
        await own.close();
        return {};
      },
      actions: ['retry', 'regenerate', 'suggestion', 'feedback'],
      async press({ question, action, by }) {
        const room = roomFor(question);
        const own = personOf(by);
        await settled(own, room);
        const before = await replies(question);
        const id = before.at(-1)?.stanzaId;
        if (id === undefined) throw new Error('The reply has no message.');
        const reaction = xml('reactions', { xmlns: 'urn:xmpp:reactions:0', id }, xml('reaction', {}, '👍'));
        const reply = xml('reply', { xmlns: 'urn:xmpp:reply:0', id, to: `${room}/${NICK}` });
        const text = action === 'suggestion' ? '1' : action;
        if (action === 'feedback')
          await own.send(
            xml('message', { to: room, type: 'groupchat', id: `press-${Date.now()}` }, reaction),
          );
        else await own.says(room, text, { thread: question.thread, extra: [reply] });
        return told(async () =>
          (await replies(question))
            .slice(before.length)
            .map((each) => each.text)
            .join('\n'),
        );
      },
      faults: Object.fromEntries(FAULTS.map((fault) => [fault, () => proxy.fail(fault)])),
      calls: proxy.calls,
      showsMarkdown: true,
      shown: async (question) => (await replies(question)).map(({ text }) => text),
      seen: async (question) => (await replies(question)).map(({ text }) => text),
      told: async (question) => (await replies(question)).map(({ text }) => text),
      // Bodies are plain text. A client loads an image only if the message names its address (XEP-0066).
      live: async (question) => ({
        mentions: [],
        images: (await replies(question)).flatMap(({ url }) => url ?? []),
        links: [],
      }),
      async close() {
        for (const person of people.values()) await person.close();
        await proxy.close();
        await server.stop();
      },
    };
  };

export const conform: OpenRig = openXmpp('prosody');

/** Resolves with what the person reads; empty if there is nothing within `TOLD_MS`. */
async function told(read: () => Promise<string>): Promise<string> {
  for (const deadline = Date.now() + TOLD_MS; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const text = await read();
    if (text !== '' || Date.now() > deadline) return text;
  }
}

/** Resolves when the bridge is in the room. */
async function joined(person: XmppPerson, room: string): Promise<void> {
  for (const deadline = Date.now() + JOINED_MS; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (presence(person, room) !== undefined) return;
    if (Date.now() > deadline) throw new Error('The bridge did not join the room.');
  }
}

/** Returns the last presence of the bridge in the room; undefined if it is not there. */
function presence(person: XmppPerson, room: string): XmlElement | undefined {
  const isOwn = ({ name, attrs }: XmlElement) => name === 'presence' && attrs.from === `${room}/${NICK}`;
  const last = person.stanzasFrom(room).findLast(isOwn);
  return last?.attrs.type === 'unavailable' ? undefined : last;
}

/** Resolves once everything that the room and the bridge had sent has arrived, because responses come after it. */
async function settled(person: XmppPerson, room: string): Promise<void> {
  const user = presence(person, room)?.getChild('x', 'http://jabber.org/protocol/muc#user');
  const bridge = user?.getChild('item')?.attrs.jid;
  if (bridge !== undefined) await person.request(bridge, 'get', xml('query', { xmlns: DISCO }));
  await person.request(room, 'get', xml('query', { xmlns: DISCO }));
}
