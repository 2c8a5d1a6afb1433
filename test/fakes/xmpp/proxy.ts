/** A proxy in front of a server, whose connections a test can cut or block. */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface CutProxy {
  readonly port: number;
  /** Number of connections so far. */
  count(): number;
  /** Destroys all connections without a last word. */
  cut(): void;
  /** Delivers nothing in either direction from now on; the connections stay open. `cut` ends this. */
  hold(): void;
  /** While false, new connections are refused. */
  accept(isOpen: boolean): void;
  close(): Promise<void>;
}

export async function startProxy(target: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let count = 0;
  let isOpen = true;
  let isHeld = false;
  const server = createServer((inside) => {
    if (!isOpen) return void inside.destroy();
    count += 1;
    const outside = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('data', (bytes) => {
        if (!isHeld) other.write(bytes);
      });
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const port = await listening(server);
  const cut = (): void => {
    isHeld = false;
    for (const each of sockets) each.destroy();
  };
  return {
    ...{ port, cut },
    count: () => count,
    hold() {
      isHeld = true;
    },
    accept(open) {
      isOpen = open;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves with the port once the server listens on this machine. */
export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
