/** A TCP proxy in front of a server. It can cut connections, delay bytes, or drop them as a half-open network does. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * `open`: passes bytes on. `cut`: resets connections and refuses new ones. `half-open`: keeps connections, and accepts
 * new ones, but passes nothing on; bytes sent in that time are lost.
 */
export type Network = 'open' | 'cut' | 'half-open';

export interface TcpProxy {
  readonly port: number;
  set(network: Network): void;
  /** Passes new connections on to another port. */
  leadTo(port: number): void;
  /** Delays every chunk in both directions, in milliseconds; 0 at the start. */
  delay(ms: number): void;
  close(): Promise<void>;
}

export async function startProxy(first: number): Promise<TcpProxy> {
  let target = first;
  let network: Network = 'open';
  let lateMs = 0;
  const sockets = new Set<Socket>();
  const pipe = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => {
      if (network !== 'open') return;
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
    pipe(client, upstream);
    pipe(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    set(to) {
      network = to;
      if (to === 'cut') for (const socket of sockets) socket.resetAndDestroy();
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
