/** Opens a stream and logs in: TLS, SASL, then a resumed or a new session (RFC 6120, XEP-0198). */

import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { TextDecoder } from 'node:util';
import { BridgeError, timeLimit } from 'parley/kit';
import { orAborted } from 'parley/kit/ladder';
import { mechanismFor } from './sasl.ts';
import { connect, type ServerAddress, secured } from './socket.ts';
import {
  childOf,
  childrenOf,
  childText,
  createStreamParser,
  type Element,
  element,
  elementsOf,
  type StreamParser,
  textOf,
  toXml,
} from './xml.ts';

export const CLIENT = 'jabber:client';
const STREAM = 'http://etherx.jabber.org/streams';
const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const STARTTLS = 'urn:ietf:params:xml:ns:xmpp-tls';
const BIND = 'urn:ietf:params:xml:ns:xmpp-bind';
export const SM = 'urn:xmpp:sm:3';

/** Maximum milliseconds that the server may take for a step of the login. */
const STEP_MS = 15_000;
/** Maximum stanzas before stream management is enabled. ejabberd keeps 5,000 for a session (`max_ack_queue`). */
const MAX_EARLY = 5_000;
export const STANZAS: ReadonlySet<string> = new Set(['message', 'presence', 'iq']);

export interface Account extends ServerAddress {
  readonly user: string;
  readonly password: { reveal(): string };
  readonly resource: string;
}

/** A session that the server may resume after its connection was cut. */
export interface Resumable {
  readonly id: string;
  readonly jid: string;
  /** Number of stanzas of the server that were handled. */
  readonly handled: number;
}

export interface Session {
  readonly wire: Wire;
  readonly jid: string;
  /** Set if the server resumed the session: the number of our stanzas that it has handled. */
  readonly resumedAt?: number;
  /** Set if the server numbers stanzas; `id` is set if it will resume the session. */
  readonly managed?: { readonly id?: string };
  /** Stanzas that arrived before the server began to number stanzas. */
  readonly early?: readonly Element[];
  /** Server, TLS version and mechanism of the login, for `parley doctor`. */
  readonly about: {
    /** Address and port of the server. */
    readonly place: string;
    /** Version of TLS; undefined without TLS. */
    readonly protocol: string | undefined;
    /** Mechanism of the login. */
    readonly mechanism: string;
  };
}

/** One connection to the server, read element by element. */
export interface Wire {
  write(xml: string): void;
  /** Resolves with the next element; rejects if the connection ends, or after 15 s. */
  next(): Promise<Element>;
  /** Passes all further elements to `handle`. */
  listen(handle: (element: Element) => void): void;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<unknown>;
  /** Ends the stream, and the connection after that. */
  close(): void;
  destroy(reason?: unknown): void;
}

class OpenWire implements Wire {
  readonly #address: ServerAddress;
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<unknown>();
  readonly #waiting: Element[] = [];
  #arrived = Promise.withResolvers<void>();
  #handle: ((element: Element) => void) | undefined;
  #socket: Socket;
  #parser: StreamParser;

  constructor(socket: Socket, address: ServerAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
    this.#socket = socket;
    this.#parser = this.#newParser();
    this.#attach(socket);
  }

  get ended(): Promise<unknown> {
    return this.#ended.promise;
  }

  write(xml: string): void {
    this.#socket.write(xml);
  }

  async next(): Promise<Element> {
    const late = AbortSignal.any([this.#signal, timeLimit(STEP_MS)]);
    const over = this.ended.then((why) => Promise.reject(reasonOf(why)));
    over.catch(() => undefined);
    for (;;) {
      const [found] = this.#waiting.splice(0, 1);
      if (found !== undefined) return found;
      await orAborted(Promise.race([this.#arrived.promise, over]), late);
      this.#arrived = Promise.withResolvers();
    }
  }

  listen(handle: (element: Element) => void): void {
    this.#handle = handle;
    for (const each of this.#waiting.splice(0)) handle(each);
  }

  close(): void {
    this.#socket.end('</stream:stream>');
  }

  destroy(reason?: unknown): void {
    this.#ended.resolve(reason);
    this.#socket.destroy();
  }

  /** Opens a new stream. Resolves with the features that the server offers. */
  async restart(): Promise<Element> {
    this.#parser = this.#newParser();
    const names = `xmlns="${CLIENT}" xmlns:stream="${STREAM}"`;
    this.write(`<?xml version="1.0"?><stream:stream to="${this.#address.domain}" version="1.0" ${names}>`);
    const features = await this.next();
    if (features.name !== 'features') throw refusedBy(features);
    return features;
  }

  async secure(): Promise<void> {
    // Refuse data from before TLS, because someone between the bridge and the server could have inserted it.
    if (this.#waiting.length > 0) throw new Error('The server sent data before TLS was established.');
    this.#socket.removeAllListeners('data');
    this.#socket.removeAllListeners('close');
    this.#socket = await secured(this.#socket, this.#address.domain, this.#signal);
    this.#attach(this.#socket);
  }

  isSecure(): boolean {
    return 'encrypted' in this.#socket;
  }

  place(): string {
    return `${this.#socket.remoteAddress}:${this.#socket.remotePort}`;
  }

  protocol(): string | undefined {
    return this.#socket instanceof TLSSocket ? (this.#socket.getProtocol() ?? undefined) : undefined;
  }

  #newParser(): StreamParser {
    return createStreamParser({
      opened: () => undefined,
      closed: () => this.#socket.end(),
      element: (each) => {
        if (this.#handle !== undefined) this.#handle(each);
        else this.#waiting.push(each);
        this.#arrived.resolve();
      },
    });
  }

  #attach(socket: Socket): void {
    const decoder = new TextDecoder();
    socket.on('data', (bytes: Buffer) => {
      try {
        this.#parser.write(decoder.decode(bytes, { stream: true }));
      } catch (thrown) {
        this.destroy(thrown);
      }
    });
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.#ended.resolve('the connection was closed'));
  }
}

const reasonOf = (why: unknown): Error => (why instanceof Error ? why : new Error(String(why ?? 'closed')));

/** Returns the server's reason for ending the login, such as `host-unknown` or `not-authorized`. */
function refusedBy(answer: Element): Error {
  const condition = elementsOf(answer).find(({ name }) => name !== 'text')?.name ?? answer.name;
  const text = elementsOf(answer).find(({ name }) => name === 'text');
  const cause = text === undefined ? condition : `${condition}: ${textOf(text)}`;
  return new BridgeError('channel-unavailable', `The XMPP server refused the login (${cause}).`);
}

/** Logs in. Rejects with the reason if the server cannot be reached, is not trusted, or refuses the account. */
export async function login(
  account: Account,
  before: Resumable | undefined,
  signal: AbortSignal,
): Promise<Session> {
  const wire = new OpenWire(await connect(account, signal), account, signal);
  try {
    let features = await wire.restart();
    if (account.tls === 'starttls') {
      await startTls(wire, features);
      features = await wire.restart();
    }
    const mechanism = await authenticate(wire, features, account);
    const about = { place: wire.place(), protocol: wire.protocol(), mechanism };
    features = await wire.restart();
    const resumed = before && (await resume(wire, features, before));
    return { about, ...(resumed ?? (await begin(wire, features, account))) };
  } catch (thrown) {
    wire.destroy();
    throw thrown;
  }
}

async function startTls(wire: OpenWire, features: Element): Promise<void> {
  if (childOf(features, 'starttls', STARTTLS) === undefined)
    throw new BridgeError(
      'channel-unavailable',
      'The XMPP server offers no STARTTLS, so no password is sent to it.',
    );
  wire.write(toXml(element('starttls', STARTTLS)));
  const answer = await wire.next();
  if (answer.name !== 'proceed') throw refusedBy(answer);
  await wire.secure();
}

/** Logs in. Resolves with the name of the mechanism. */
async function authenticate(wire: OpenWire, features: Element, account: Account): Promise<string> {
  const mechanisms = childOf(features, 'mechanisms', SASL);
  const offered = mechanisms === undefined ? [] : childrenOf(mechanisms, 'mechanism', SASL).map(textOf);
  const { user, password, tls } = account;
  // `connect` has checked that a connection without TLS leads to this machine.
  const isSafe = wire.isSecure() || tls === 'none';
  const mechanism = mechanismFor(offered, { user, password: password.reveal(), isSafe });
  if (mechanism === undefined)
    throw new BridgeError(
      'channel-unavailable',
      `The XMPP server offers no way to log in that the bridge uses: ${offered.join(', ')}.`,
    );
  const { name } = mechanism;
  wire.write(toXml(element('auth', SASL, { mechanism: name }, base64(mechanism.first))));
  for (;;) {
    const answer = await wire.next();
    const said = Buffer.from(textOf(answer), 'base64').toString();
    if (answer.name === 'success') {
      mechanism.verify(said);
      return name;
    }
    if (answer.name !== 'challenge') throw refusedBy(answer);
    wire.write(toXml(element('response', SASL, {}, base64(await mechanism.respond(said)))));
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

type Begun = Omit<Session, 'about'>;

async function resume(wire: OpenWire, features: Element, before: Resumable): Promise<Begun | undefined> {
  if (childOf(features, 'sm', SM) === undefined) return undefined;
  const { id, jid, handled } = before;
  wire.write(toXml(element('resume', SM, { previd: id, h: `${handled}` })));
  const answer = await wire.next();
  if (answer.name !== 'resumed') return undefined;
  return { wire, jid, resumedAt: Number(answer.attrs.h), managed: { id } };
}

async function begin(wire: OpenWire, features: Element, { resource }: Account): Promise<Begun> {
  const bind = element('bind', BIND, {}, element('resource', BIND, {}, resource));
  wire.write(toXml(element('iq', CLIENT, { type: 'set', id: 'bind' }, bind)));
  const answer = await wire.next();
  const bound = childOf(answer, 'bind', BIND);
  const jid = bound && childText(bound, 'jid');
  if (answer.attrs.type !== 'result' || jid === undefined) throw refusedBy(answer);
  if (childOf(features, 'sm', SM) === undefined) return { wire, jid };
  wire.write(toXml(element('enable', SM, { resume: 'true' })));
  const early: Element[] = [];
  let enabled = await wire.next();
  // ejabberd may first send what an earlier session of this account has not confirmed.
  for (; STANZAS.has(enabled.name) && enabled.ns === CLIENT; enabled = await wire.next()) {
    if (early.length >= MAX_EARLY) throw new Error('The server did not enable stream management.');
    early.push(enabled);
  }
  if (enabled.name !== 'enabled') return { wire, jid, early };
  const { id, resume: mayResume } = enabled.attrs;
  const canResume = id !== undefined && /^(?:true|1)$/.test(mayResume ?? '');
  return { wire, jid, early, managed: canResume ? { id } : {} };
}
