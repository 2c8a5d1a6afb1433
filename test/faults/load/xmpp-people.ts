/** People who ask on XMPP. Each message is sent again, with its id, until the server has confirmed it, as clients do. */

import { setTimeout as pause } from 'node:timers/promises';
import { type XmlElement, xml } from '@xmpp/client';
import { questionOf } from '../../fakes/history/saying.ts';
import { nextId } from '../../fakes/history/scene.ts';
import { connectPerson, type XmppPerson } from '../../fakes/xmpp/person.ts';
import { type Asked, around, createThreads, roomsFor } from './people.ts';
import type { Happening, Planned } from './plan.ts';

const MOST_ROOMS = 12;
const PEOPLE = 8;
/** Number of rooms in which a person is. */
const ROOMS_OF_PERSON = 4;
/** Maximum time until the server confirms a message, in milliseconds. */
const CONFIRMED_MS = 5_000;
/** Maximum time of a login, in milliseconds. A login takes 0.2 s of CPU time. */
const LOGIN_MS = 30_000;
/** Pause before the next login or the next attempt to send a message, in milliseconds. */
const AGAIN_MS = 250;
const NICK = 'Parley';

export const people: readonly string[] = Array.from({ length: PEOPLE }, (_, nth) => `person${nth}`);
export const roomNames = (events: number): readonly string[] =>
  Array.from({ length: roomsFor(events, MOST_ROOMS) }, (_, nth) => `field-${nth}`);

export interface XmppPeople {
  ask(planned: Planned): Asked;
  /** True if each person has seen the bridge in each of their rooms. */
  haveSeenBridge(): boolean;
  /** Resolves when the server has confirmed all messages. */
  sent(): Promise<void>;
  close(): Promise<void>;
}

interface Outgoing {
  readonly to: string;
  readonly text: string;
  readonly id: string;
  readonly thread: string | undefined;
  readonly extra: readonly XmlElement[];
}

/** One person with a client that connects again when its connection breaks. */
interface Client {
  readonly rooms: readonly string[];
  says(message: Outgoing): Promise<void>;
  hasSeenBridge(): boolean;
  /** Returns the id that the room gave to a message; undefined if the room has not sent the message back. */
  roomId(room: string, id: string): string | undefined;
  close(): Promise<void>;
}

export async function xmppPeople(
  port: number,
  bridge: string,
  rooms: readonly string[],
): Promise<XmppPeople> {
  const clients = await Promise.all(
    people.map((user, nth) => {
      const own = Array.from({ length: ROOMS_OF_PERSON }, (_, at) => around(rooms, nth + at * 3));
      return createClient(port, user, [...new Set(own)]);
    }),
  );
  const threads = createThreads();
  const sending = new Set<Promise<void>>();
  const say = (client: Client, message: Outgoing): void => {
    const done = client.says(message).finally(() => sending.delete(done));
    sending.add(done);
  };
  let asked = 0;
  return {
    ask(planned) {
      const client = around(clients, planned.person);
      const place = placeOf(planned, client, bridge);
      const known = planned.follows ? threads.newest(place.to, planned.person) : undefined;
      asked += 1;
      // Some questions in rooms have no thread. Those of one person in one room form one conversation.
      const thread = known ?? (planned.kind === 'group' ? undefined : `thread-${asked}`);
      if (thread !== undefined && known === undefined) threads.add(place.to, thread);
      const saying = { id: nextId(), ms: 1_000, everyMs: 50, chars: 600, ...planned.saying };
      const first = {
        ...place,
        thread,
        id: `question-${asked}`,
        extra: [],
        text: `${place.mention}${questionOf(saying)}`,
      };
      say(client, first);
      return {
        id: saying.id,
        happens: (what) =>
          happens(what, { client, first, saying: planned.saying, say: (next) => say(client, next) }),
        retries: () => false,
      };
    },
    haveSeenBridge: () => clients.every((client) => client.hasSeenBridge()),
    async sent() {
      while (sending.size > 0) await Promise.all(sending);
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

interface Placed {
  readonly to: string;
  readonly mention: string;
}

const placeOf = ({ kind, room }: Planned, { rooms }: Client, bridge: string): Placed =>
  kind === 'direct' ? { to: bridge, mention: '' } : { to: around(rooms, room), mention: `${NICK}: ` };

interface Acting {
  readonly client: Client;
  readonly first: Outgoing & Placed;
  readonly saying: Planned['saying'];
  say(message: Outgoing): void;
}

const RETRACT = 'urn:xmpp:message-retract:1';
const FALLBACK = 'urn:xmpp:fallback:0';

const acts: Readonly<Record<Happening, (acting: Acting) => void>> = {
  repeat: ({ first, say }) => say(first),
  edit({ first, saying: { ms = 500, everyMs = 50, chars = 300 }, say }) {
    const id = nextId();
    const replace = xml('replace', { xmlns: 'urn:xmpp:message-correct:0', id: first.id });
    const text = `${first.mention}${questionOf({ id, ms, everyMs, chars })}`;
    say({ ...first, id: `edit-${id}`, text, extra: [replace] });
  },
  delete({ client, first, say }) {
    // In a room, the room's id names the message (XEP-0424).
    const id = first.mention === '' ? first.id : client.roomId(first.to, first.id);
    if (id === undefined) return;
    const extra = [
      xml('retract', { xmlns: RETRACT, id }),
      xml('fallback', { xmlns: FALLBACK, for: RETRACT }),
    ];
    say({ ...first, id: `retraction-${first.id}`, text: 'This person retracted a message.', extra });
  },
  stop: ({ first, say }) => say({ ...first, id: `stop-${first.id}`, text: `${first.mention}stop` }),
};

const happens = (what: Happening, acting: Acting): void => acts[what](acting);

async function createClient(port: number, user: string, rooms: readonly string[]): Promise<Client> {
  let isClosed = false;
  /** Connections of this person, the newest last. */
  const connections: XmppPerson[] = [];
  const connect = async (): Promise<XmppPerson> => {
    for (;;) {
      try {
        const person = await within(connectPerson(port, user), LOGIN_MS);
        connections.push(person);
        for (const room of rooms) await person.join(room);
        return person;
      } catch (thrown) {
        if (isClosed || connections.length === 0) throw thrown;
        await pause(AGAIN_MS);
      }
    }
  };
  let current = connect();
  /** Resolves when the last message was delivered. The next message waits for this, so messages keep their order. */
  let before = Promise.resolve();
  const roomId = (room: string, id: string): string | undefined => {
    const found = connections
      .flatMap((each) => each.seen(room))
      .find((each) => each.id === id && each.from === `${room}/${user}`);
    return found?.stanzaId;
  };
  const deliver = async (message: Outgoing): Promise<void> => {
    while (!isClosed) {
      const person = await current;
      try {
        return await within(sendConfirmed(person, user, message));
      } catch {
        // A broken connection refuses each message at once, and is reported as closed only when this loop waits.
        await pause(AGAIN_MS);
        // If the server is only slow, the connection is still open. The message is then sent again over it.
        if (person.isOpen()) continue;
        await person.close();
        current = connect();
      }
    }
  };
  await current;
  return {
    ...{ rooms, roomId },
    hasSeenBridge: () =>
      rooms.every((room) => connections.some(({ stanzas }) => stanzas.some(isPresenceIn(room)))),
    says(message) {
      before = before.then(() => deliver(message));
      return before;
    },
    async close() {
      isClosed = true;
      await Promise.all(connections.map((each) => each.close()));
    },
  };
}

const isPresenceIn =
  (room: string) =>
  ({ name, attrs }: XmlElement): boolean =>
    name === 'presence' && attrs.from === `${room}/${NICK}`;

/** Sends a message. Resolves when the room has sent it back, or when the account's server has handled it. */
async function sendConfirmed(
  person: XmppPerson,
  user: string,
  { to, text, ...how }: Outgoing,
): Promise<void> {
  const { id, thread, extra } = how;
  await person.says(to, text, { id, extra, ...(thread !== undefined && { thread }) });
  const isOwn = ({ name, attrs }: XmlElement) =>
    name === 'message' && attrs.id === id && attrs.from === `${to}/${user}` && attrs.type !== 'error';
  if (to.includes('@rooms.')) await person.sees(isOwn);
  // A server handles the stanzas of one connection in order.
  else await person.request(undefined, 'get', xml('query', { xmlns: 'jabber:iq:roster' }));
}

const within = <Value>(promise: Promise<Value>, ms = CONFIRMED_MS): Promise<Value> =>
  Promise.race([
    promise,
    pause(ms, undefined, { ref: false }).then(() => Promise.reject(new Error('No answer came.'))),
  ]);
