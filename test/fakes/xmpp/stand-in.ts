/**
 * A small server that behaves as no real server does. It logs everyone in, lets them into every room, and sends what the
 * test wants. Its answers follow RFC 6120, XEP-0045 and XEP-0198 as far as the tests need them.
 */

import { createServer, type Socket } from 'node:net';
import sax from 'sax';
import { listening } from './proxy.ts';

export interface Received {
  readonly name: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly xml: string;
}

export interface StandIn {
  readonly port: number;
  /** Everything that clients have sent, over all connections. */
  readonly received: readonly Received[];
  /** Number of logins so far. */
  logins(): number;
  /** Sends XML over the newest connection. */
  send(xml: string): void;
  /** Resolves when such an element has arrived. */
  sees(isIt: (received: Received) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface Ways {
  /** Answers an element instead of the server's usual answer; undefined for the usual one. */
  readonly answer?: (received: Received) => string | undefined;
  /** Features before the login. */
  readonly features?: string;
}

const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const PLAIN = `<mechanisms xmlns="${SASL}"><mechanism>PLAIN</mechanism></mechanisms>`;
const INSIDE = '<bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/><sm xmlns="urn:xmpp:sm:3"><optional/></sm>';
const OPEN =
  '<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams" id="1" version="1.0">';
const BRIDGE = 'parley@localhost/one';

export async function startStandIn({ answer, features = PLAIN }: Ways = {}): Promise<StandIn> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let newest: Socket | undefined;
  let logins = 0;
  const server = createServer((socket) => {
    newest = socket;
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    const at = { isIn: false, stanzas: 0 };
    const read = reader(
      () => socket.write(`${OPEN}<stream:features>${at.isIn ? INSIDE : features}</stream:features>`),
      (each) => {
        received.push(each);
        if (each.name === 'auth') {
          at.isIn = true;
          logins += 1;
        }
        if (['message', 'presence', 'iq'].includes(each.name)) at.stanzas += 1;
        socket.write(answer?.(each) ?? usual(each, at.stanzas));
      },
    );
    socket.on('data', (bytes) => read(bytes.toString()));
  });
  const port = await listening(server);
  return {
    ...{ port, received },
    logins: () => logins,
    send: (xml) => void newest?.write(xml),
    async sees(isIt) {
      for (const deadline = Date.now() + 10_000; !received.some(isIt); ) {
        if (Date.now() > deadline) throw new Error('The client has not sent what was waited for.');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async close() {
      for (const each of sockets) each.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * The usual answers: RFC 6120, sections 6.4.6 (success), 7.6.1 (bind) and 8.2.3 (every request gets an answer); XEP-0198,
 * sections 3 (enabled), 4 (acks) and 5 (failed, since no session is kept); XEP-0045, sections 7.2.2 (presence with the
 * status 110) and 7.4 (the room sends a message to its author too). Every other request gets an empty result, as from a
 * server that supports none of the features that clients look for.
 */
function usual({ name, attrs: { id = '', to = '', type }, xml }: Received, stanzas: number): string {
  if (name === 'auth') return `<success xmlns="${SASL}"/>`;
  if (name === 'iq' && xml.includes('xmpp-bind'))
    return `<iq type="result" id="${id}"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><jid>${BRIDGE}</jid></bind></iq>`;
  if (name === 'enable') return '<enabled xmlns="urn:xmpp:sm:3" id="session" resume="true"/>';
  if (name === 'resume') return '<failed xmlns="urn:xmpp:sm:3"/>';
  if (name === 'r') return `<a xmlns="urn:xmpp:sm:3" h="${stanzas}"/>`;
  if (name === 'iq' && (type === 'get' || type === 'set'))
    return `<iq type="result" id="${id}" from="${to}"/>`;
  if (name === 'presence' && to.includes('/')) return self(to, '<status code="110"/>');
  if (name === 'message' && type === 'groupchat' && xml.includes('<body'))
    return xml.replace(/ to="[^"]*"/, ` to="${BRIDGE}" from="${to}/Parley"`);
  return '';
}

/** The room's presence about the client's own occupant. */
export const self = (occupant: string, inner: string, type = ''): string =>
  `<presence from="${occupant}" to="${BRIDGE}"${type === '' ? '' : ` type="${type}"`}><x xmlns="http://jabber.org/protocol/muc#user"><item affiliation="member" role="participant"/>${inner}</x></presence>`;

/** Calls `opened` for each new stream and `element` for each whole element of the client. */
function reader(opened: () => void, element: (received: Received) => void): (text: string) => void {
  let parser = sax.parser(true, {});
  let depth = 0;
  let current = { name: '', attrs: {}, xml: '' };
  const begin = (): void => {
    parser = sax.parser(true, {});
    depth = 0;
    parser.onopentag = ({ name, attributes }) => {
      depth += 1;
      const attrs = attributes as Record<string, string>;
      if (depth === 1) return opened();
      if (depth === 2) current = { name, attrs, xml: '' };
      const given = Object.entries(attrs).map(([key, value]) => ` ${key}="${escaped(value)}"`);
      current.xml += `<${name}${given.join('')}>`;
    };
    parser.ontext = (text) => {
      current.xml += escaped(text);
    };
    parser.onclosetag = (name) => {
      current.xml += `</${name}>`;
      depth -= 1;
      if (depth === 1) element(current);
    };
  };
  return (text) => {
    for (const piece of text.split(/(?=<\?xml)/)) {
      if (piece.startsWith('<?xml')) begin();
      parser.write(piece);
    }
  };
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
