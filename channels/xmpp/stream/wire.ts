/** One connection to the server: finds the server, connects, switches to TLS, and reads element by element. */

import type { SrvRecord } from 'node:dns';
import { resolveSrv } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { BridgeError, isLoopback } from 'parley/kit';
import { orAborted, timeLimit } from 'parley/kit/ladder';
import { createStreamParser, type Element, toXml } from './xml.ts';

export const CLIENT = 'jabber:client';
const STREAM = 'http://etherx.jabber.org/streams';
/** Maximum milliseconds that the server may take for a step of the login. */
const STEP_MS = 15_000;
/** Ports of RFC 6120, and of XEP-0368 for direct TLS. */
const PORTS: Readonly<Record<ServerAddress['tls'], number>> = { starttls: 5222, none: 5222, direct: 5223 };
/** Maximum milliseconds until the connection and its TLS are open. */
const CONNECT_MS = 10_000;

export interface ServerAddress {
  /** Domain of the account, for which the server's certificate must be valid. */
  readonly domain: string;
  /** `host:port`; if absent, DNS names the server (RFC 6120, section 3.2). */
  readonly server?: string | undefined;
  readonly tls: 'starttls' | 'direct' | 'none';
  /** Looks up the SRV records of a name; if absent, with DNS. */
  readonly resolve?: (name: string) => Promise<readonly SrvRecord[]>;
}

export const unavailable = (message: string): BridgeError => new BridgeError('channel-unavailable', message);

export class Wire {
  readonly #address: ServerAddress;
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<unknown>();
  readonly #waiting: Element[] = [];
  #arrived = Promise.withResolvers<void>();
  #handle = (found: Element): void => {
    this.#waiting.push(found);
    this.#arrived.resolve();
  };
  #socket: Socket;
  #parse: (text: string) => void = () => undefined;

  /** Connects to the server. Rejects if it cannot be reached or is not trusted. */
  static async open(address: ServerAddress, signal: AbortSignal): Promise<Wire> {
    return new Wire(await connect(address, signal), address, signal);
  }

  private constructor(socket: Socket, address: ServerAddress, signal: AbortSignal) {
    this.#address = address;
    this.#signal = signal;
    this.#socket = this.#attach(socket);
  }

  /** Resolves with the reason when the connection has ended. */
  get ended(): Promise<unknown> {
    return this.#ended.promise;
  }

  /** Address and port of the server. */
  get place(): string {
    return `${this.#socket.remoteAddress}:${this.#socket.remotePort}`;
  }

  /** Version of TLS; undefined without TLS. */
  get protocol(): string | undefined {
    return this.#socket instanceof TLSSocket ? (this.#socket.getProtocol() ?? undefined) : undefined;
  }

  write(element: Element): void {
    this.#socket.write(toXml(element));
  }

  /** Resolves with the next element. Rejects if the connection ends, or after 15 s. */
  async next(): Promise<Element> {
    const late = AbortSignal.any([this.#signal, timeLimit(STEP_MS)]);
    const over = this.ended.then((why) =>
      Promise.reject(why instanceof Error ? why : new Error(String(why))),
    );
    over.catch(() => undefined);
    for (;;) {
      const found = this.#waiting.shift();
      if (found !== undefined) return found;
      await orAborted(Promise.race([this.#arrived.promise, over]), late);
      this.#arrived = Promise.withResolvers();
    }
  }

  /** Passes all further elements to `handle`. */
  listen(handle: (element: Element) => void): void {
    this.#handle = handle;
    this.#waiting.splice(0).forEach(handle);
  }

  /** Opens a new stream. Resolves with what the server sends first: its features, or an error. */
  async restart(): Promise<Element> {
    this.#parse = createStreamParser(
      (found) => this.#handle(found),
      () => this.#socket.end(),
    );
    const names = `xmlns="${CLIENT}" xmlns:stream="${STREAM}"`;
    this.#socket.write(
      `<?xml version="1.0"?><stream:stream to="${this.#address.domain}" version="1.0" ${names}>`,
    );
    return this.next();
  }

  /** Switches to TLS. */
  async secure(): Promise<void> {
    // Refuse data from before TLS, because someone between the bridge and the server could have inserted it.
    if (this.#waiting.length > 0) throw new Error('The server sent data before TLS was established.');
    this.#socket.removeAllListeners('data').removeAllListeners('close');
    this.#socket = this.#attach(await secured(this.#socket, this.#address, this.#signal));
  }

  /** Ends the stream, and the connection after that. */
  close(): void {
    this.#socket.end('</stream:stream>');
  }

  destroy(reason?: unknown): void {
    this.#ended.resolve(reason);
    this.#socket.destroy();
  }

  #attach(socket: Socket): Socket {
    const decoder = new TextDecoder();
    socket.on('data', (bytes: Buffer) => {
      try {
        this.#parse(decoder.decode(bytes, { stream: true }));
      } catch (thrown) {
        this.destroy(thrown);
      }
    });
    socket.on('error', (error) => this.destroy(error));
    return socket.on('close', () => this.#ended.resolve('the connection was closed'));
  }
}

/** Returns where the server may listen, best first. Rejects if DNS says that the domain has no such server. */
export async function placesOf({ domain, server, tls, resolve = resolveSrv }: ServerAddress) {
  if (server !== undefined) {
    const [, host = server, port = PORTS[tls]] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(server) ?? [];
    return [{ host, port: Number(port) }];
  }
  const name = `_xmpp${tls === 'direct' ? 's' : ''}-client._tcp.${domain}`;
  const found = isIP(domain) > 0 ? [] : await resolve(name).catch(() => []);
  if (found.length === 0) return [{ host: domain, port: PORTS[tls] }];
  // A record without a host denies the service (RFC 2782).
  const named = found.filter(({ name: host }) => host !== '' && host !== '.');
  if (named.length === 0) throw unavailable(`DNS says that ${domain} offers no such service (${name}).`);
  return named
    .toSorted((one, other) => one.priority - other.priority || other.weight - one.weight)
    .map(({ name: host, port }) => ({ host, port }));
}

/** Opens a connection. Rejects if no address of the server accepts one. */
async function connect(address: ServerAddress, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const place of await placesOf(address)) {
    const socket = connectTcp({ ...place, noDelay: true, keepAlive: true });
    try {
      await once(socket, 'connect', { signal: AbortSignal.any([signal, timeLimit(CONNECT_MS)]) });
      if (address.tls === 'none' && !isLoopback(socket.remoteAddress ?? ''))
        throw new Error('TLS is off, which is allowed only for a server on this machine.');
      return address.tls === 'direct' ? await secured(socket, address, signal) : socket;
    } catch (thrown) {
      failure = thrown;
      socket.destroy();
      signal.throwIfAborted();
    }
  }
  throw failure;
}

/** Starts TLS on a connection. Rejects if the certificate is not valid for the domain. */
async function secured(socket: Socket, { domain, tls }: ServerAddress, signal: AbortSignal): Promise<Socket> {
  const secure = connectTls({
    socket,
    minVersion: 'TLSv1.2',
    // The name for which the certificate must be valid, also if the server's address has another name.
    host: domain,
    // Without STARTTLS, the client names its protocol (XEP-0368).
    ...(tls === 'direct' && { ALPNProtocols: ['xmpp-client'] }),
    ...(isIP(domain) === 0 && { servername: domain }),
  });
  try {
    await once(secure, 'secureConnect', { signal: AbortSignal.any([signal, timeLimit(CONNECT_MS)]) });
    return secure;
  } catch (thrown) {
    secure.destroy();
    throw thrown;
  }
}
