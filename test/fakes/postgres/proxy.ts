/** A TCP proxy in front of a server. It can cut connections, delay bytes, or drop them as a half-open network does. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * `open`: passes bytes on. `cut`: resets connections and refuses new ones. `half-open`: keeps connections, and accepts
 * new ones, but passes nothing on; bytes sent in that time are lost, and their connections are reset at its end.
 */
export type Network = 'open' | 'cut' | 'half-open';

export interface TcpProxy {
  readonly port: number;
  set(network: Network): void;
  /**
   * Makes connections half-open if their first bytes from the client contain the text. Applies only to connections
   * that are open now; new connections stay open.
   */
  halfOpen(text: string): void;
  /**
   * Waits for bytes from a client that contain the text. Passes these bytes on to the server, and then makes their
   * connection half-open.
   */
  loseAnswerTo(text: string): void;
  /** Passes new connections on to another port. */
  leadTo(port: number): void;
  /** Delays every chunk, in both directions, by `ms` milliseconds. The delay is 0 at the start. */
  delay(ms: number): void;
  close(): Promise<void>;
}

interface Connection {
  /** The first bytes that the client sent. */
  first: string | undefined;
  isHalfOpen: boolean;
}

export async function startProxy(first: number): Promise<TcpProxy> {
  let target = first;
  let network: Network = 'open';
  let lateMs = 0;
  let lost: string | undefined;
  const sockets = new Set<Socket>();
  /** Connections that lost bytes. A firewall that forgot a connection resets it as soon as packets pass again. */
  const broken = new Set<Socket>();
  const connections = new Set<Connection>();
  const pipe = (from: Socket, to: Socket, connection: Connection) => {
    sockets.add(from);
    from.on('data', (bytes) => {
      connection.first ??= bytes.toString('latin1');
      if (network === 'half-open') broken.add(from);
      if (network !== 'open' || connection.isHalfOpen) return;
      if (lost !== undefined && bytes.includes(lost)) {
        connection.isHalfOpen = true;
        lost = undefined;
      }
      if (lateMs === 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), lateMs);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((client) => {
    if (network === 'cut') {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    const connection: Connection = { first: undefined, isHalfOpen: false };
    connections.add(connection);
    client.on('close', () => connections.delete(connection));
    pipe(client, upstream, connection);
    pipe(upstream, client, connection);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(to) {
      network = to;
      const ended = to === 'cut' ? sockets : to === 'open' ? broken : [];
      for (const socket of ended) socket.resetAndDestroy();
      broken.clear();
    },
    halfOpen(text) {
      for (const connection of connections)
        connection.isHalfOpen ||= connection.first?.includes(text) ?? false;
    },
    loseAnswerTo(text) {
      lost = text;
    },
    leadTo(port) {
      target = port;
    },
    delay(ms) {
      lateMs = ms;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
