/**
 * A person with a client on a real server. The client is built with another library than the adapter, so that the two
 * share no mistakes. It shows messages as the app Conversations does: a correction replaces the text of the message
 * with the corrected id, if it has the same sender (XEP-0308), and a retraction removes it (XEP-0424).
 */

import { client, type XmlElement, type XmppClient, xml } from '@xmpp/client';
import { DOMAIN, PASSWORD, ROOMS } from './servers.ts';

export interface SeenMessage {
  readonly from: string;
  readonly type: string;
  readonly id: string;
  readonly stanzaId: string | undefined;
  readonly text: string;
  /** All texts that the message has shown, oldest first. */
  readonly texts: readonly string[];
  readonly thread: string | undefined;
  readonly replyTo: string | undefined;
  /** Address of an attached file (XEP-0066). */
  readonly url: string | undefined;
  readonly isRetracted: boolean;
}

export interface Saying {
  /** Id of the message, for a message that is sent again. Default: a new one. */
  readonly id?: string;
  readonly thread?: string;
  readonly extra?: readonly XmlElement[];
}

export interface XmppPerson {
  readonly jid: string;
  /** True if the client says that it is a program when it is asked (XEP-0030). */
  isProgram: boolean;
  /** Everything that arrived. */
  readonly stanzas: readonly XmlElement[];
  /** Everything that arrived from a room and its members, or from a person. */
  stanzasFrom(place: string): readonly XmlElement[];
  /** Times at which the stanzas arrived, in milliseconds since the epoch. */
  readonly arrivals: readonly number[];
  /** False once the connection has ended. */
  isOpen(): boolean;
  /** Messages in a room or direct chat, as the client shows them. */
  seen(place: string): readonly SeenMessage[];
  join(room: string, nick?: string): Promise<void>;
  /** Resolves when such a stanza has arrived. */
  sees(isIt: (stanza: XmlElement) => boolean): Promise<void>;
  /** Sends a message to a room or person. Returns its id. */
  says(to: string, text: string, how?: Saying): Promise<string>;
  send(element: XmlElement): Promise<void>;
  request(to: string | undefined, type: 'get' | 'set', content: XmlElement): Promise<XmlElement>;
  /** Returns the last 50 messages in the archive of a room. */
  archive(room: string): Promise<readonly XmlElement[]>;
  close(): Promise<void>;
}

export const roomOf = (name: string): string => `${name}@${ROOMS}`;
const DISCO = 'http://jabber.org/protocol/disco#info';
const STANZA_ID = 'urn:xmpp:sid:0';
let sent = 0;

/** @param isVisible false for a client that only reads archives: the server then sends it no messages */
export async function connectPerson(port: number, user: string, isVisible = true): Promise<XmppPerson> {
  const own = client({
    service: `xmpp://127.0.0.1:${port}`,
    domain: DOMAIN,
    resource: isVisible ? 'test' : 'reader',
    credentials: (authenticate, mechanisms) =>
      authenticate({ username: user, password: PASSWORD }, cheapest(mechanisms)),
  });
  own.reconnect.stop();
  // The library counts stanzas wrongly (0.14.0): prosody ends some of its sessions with "Client acknowledged more
  // stanzas than sent by server". So it must not begin stream management.
  const { send } = own;
  own.send = async (element) => (element.name === 'enable' ? undefined : send.call(own, element));
  const stanzas: XmlElement[] = [];
  const arrivals: number[] = [];
  const places = new Map<string, XmlElement[]>();
  const stanzasFrom = (place: string): readonly XmlElement[] => places.get(place) ?? [];
  own.on('stanza', (stanza) => {
    stanzas.push(stanza);
    const place = placeOf(stanza);
    const known = places.get(place);
    if (known === undefined) places.set(place, [stanza]);
    else known.push(stanza);
    arrivals.push(Date.now());
  });
  own.on('error', () => undefined);
  let isOpen = true;
  own.on('disconnect', () => {
    isOpen = false;
  });
  await start(own, port);
  if (isVisible) await own.send(xml('presence'));
  const until = async (isSo: () => boolean, what: string): Promise<void> => {
    for (const deadline = Date.now() + 10_000; !isSo(); ) {
      if (Date.now() > deadline) throw new Error(`${what} did not happen.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const person: XmppPerson = {
    isProgram: false,
    jid: `${user}@${DOMAIN}`,
    ...{ stanzas, stanzasFrom, arrivals },
    isOpen: () => isOpen,
    seen: (place) => shownIn(stanzasFrom(place), place),
    async join(room, nick = user) {
      await own.send(
        xml('presence', { to: `${room}/${nick}` }, xml('x', { xmlns: 'http://jabber.org/protocol/muc' })),
      );
      const isIn = (each: XmlElement) => each.name === 'presence' && each.attrs.from === `${room}/${nick}`;
      await until(() => stanzasFrom(room).some(isIn), `Joining ${room}`);
    },
    sees: (isIt) => until(() => stanzas.some(isIt), 'What was waited for'),
    async says(to, text, { id: given, thread, extra = [] } = {}) {
      sent += 1;
      const id = given ?? `${user}-${sent}-${Date.now()}`;
      const type = to.endsWith(`@${ROOMS}`) ? 'groupchat' : 'chat';
      const inThread = thread === undefined ? undefined : xml('thread', {}, thread);
      const children = [xml('body', {}, text), inThread, ...extra].filter((each) => each !== undefined);
      await own.send(xml('message', { to, type, id }, ...children));
      return id;
    },
    send: (element) => own.send(element),
    request: (to, type, content) => own.iqCaller.request(xml('iq', { to, type }, content)),
    async archive(room) {
      sent += 1;
      const queryid = `archive-${sent}`;
      const last = xml(
        'set',
        { xmlns: 'http://jabber.org/protocol/rsm' },
        xml('max', {}, '50'),
        xml('before'),
      );
      const query = xml('query', { xmlns: 'urn:xmpp:mam:2', queryid }, last);
      await own.iqCaller.request(xml('iq', { to: room, type: 'set' }, query));
      const results = stanzas.flatMap((each) => each.getChild('result', 'urn:xmpp:mam:2') ?? []);
      return results
        .filter(({ attrs }) => attrs.queryid === queryid)
        .flatMap((each) => each.getChild('forwarded', 'urn:xmpp:forward:0')?.getChild('message') ?? []);
    },
    async close() {
      await own.stop().catch(() => undefined);
    },
  };
  own.iqCallee.get(DISCO, 'query', () => {
    const identity = { category: 'client', type: person.isProgram ? 'bot' : 'pc' };
    return xml('query', { xmlns: DISCO }, xml('identity', identity));
  });
  return person;
}

/** Returns the mechanism to log in with. The library takes 0.1 s of CPU for SCRAM, and tests log in often. */
const cheapest = (mechanisms: readonly string[]): string | undefined =>
  mechanisms.find((each) => each === 'PLAIN') ?? mechanisms[0];

/**
 * Logs in. The library's own `start`, and its `disconnect` after an error of the stream, leave promises that reject
 * unhandled if the connection breaks (0.14.0).
 */
async function start(own: XmppClient, port: number): Promise<void> {
  const { disconnect } = own;
  own.disconnect = () => disconnect.call(own).catch(() => undefined);
  const online = new Promise<void>((resolve, reject) => {
    own.on('online', resolve);
    own.on('error', reject);
  });
  online.catch(() => undefined);
  await own.connect(`xmpp://127.0.0.1:${port}`);
  await own.open({ domain: DOMAIN, lang: 'en' });
  await online;
}

/** Returns the room or the account from which a stanza comes. */
const placeOf = ({ attrs: { from = '' } }: XmlElement): string => from.replace(/\/.*$/s, '');

type Shown = { -readonly [Member in keyof SeenMessage]: SeenMessage[Member] };

/** Applies messages, corrections and retractions in the order of their arrival. */
export function shownIn(stanzas: readonly XmlElement[], place: string): readonly SeenMessage[] {
  const shown: Shown[] = [];
  for (const stanza of stanzas) {
    const { from = '', type = 'normal', id = '' } = stanza.attrs;
    if (stanza.name !== 'message' || placeOf(stanza) !== place || type === 'error') continue;
    const text = stanza.getChildText('body');
    const stanzaId = stanza.getChildren('stanza-id', STANZA_ID).find(({ attrs }) => attrs.by === place)
      ?.attrs.id;
    const replaced = stanza.getChild('replace', 'urn:xmpp:message-correct:0')?.attrs.id;
    const retracted = stanza.getChild('retract', 'urn:xmpp:message-retract:1')?.attrs.id;
    const isSame = (each: Shown) => type === 'chat' || each.from === from;
    const isNamed = (each: Shown) =>
      retracted === undefined ? each.id === replaced : [each.id, each.stanzaId].includes(retracted);
    const target = shown.find((each) => isSame(each) && isNamed(each));
    if (retracted !== undefined && target !== undefined) target.isRetracted = true;
    else if (replaced !== undefined && target !== undefined && text !== null) {
      target.text = text;
      target.texts = [...target.texts, text];
    } else if (text !== null && retracted === undefined) {
      const thread = stanza.getChildText('thread') ?? undefined;
      const replyTo = stanza.getChild('reply', 'urn:xmpp:reply:0')?.attrs.id;
      const url = stanza.getChild('x', 'jabber:x:oob')?.getChildText('url') ?? undefined;
      shown.push({ from, type, id, stanzaId, text, texts: [text], thread, replyTo, url, isRetracted: false });
    }
  }
  return shown;
}
