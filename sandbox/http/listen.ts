import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * `createServer` of node:http, without an import: an import reads all exports of the module, among them `WebSocket`, for
 * which Node loads its built-in undici. That takes 35 ms of CPU time at each start.
 */
export const { createServer } = process.getBuiltinModule('node:http');

/** Error if the port is in use. `free` is the next free port; undefined if none was found. */
export class PortTaken extends Error {
  readonly port: number;
  readonly free: number | undefined;

  constructor(port: number, free: number | undefined) {
    super(`Port ${port} is in use${free === undefined ? '' : `; the next free one is ${free}`}.`);
    this.name = 'PortTaken';
    this.port = port;
    this.free = free;
  }
}

/** Number of ports that are tried after a port that is in use. */
const PORTS_TRIED = 50;

/**
 * Resolves with the port, and with `address`: the host as a URL contains it, with an IPv6 address in brackets. Rejects
 * with `PortTaken`.
 */
export async function listen(server: Server, port: number, host: string) {
  try {
    const bound = await bind(server, port, host);
    return { port: bound, address: host.includes(':') ? `[${host}]` : host };
  } catch (error) {
    if (isTaken(error)) throw new PortTaken(port, await nextFree(port, host));
    throw error;
  }
}

async function bind(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

async function nextFree(port: number, host: string): Promise<number | undefined> {
  for (let candidate = port + 1; candidate <= Math.min(port + PORTS_TRIED, 65_535); candidate += 1) {
    const probe = createServer();
    const bound = await bind(probe, candidate, host).catch(() => undefined);
    probe.close();
    if (bound !== undefined) return candidate;
  }
  return undefined;
}
