import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BridgeError, codeOf } from '../errors.ts';

/**
 * `createServer` of node:http, without an import: an import reads all exports of the module, among them `WebSocket`, for
 * which Node loads its built-in undici. That takes 35 ms of CPU time at each start.
 */
export const { createServer } = process.getBuiltinModule('node:http');

/** Number of ports that are tried to find a free one. */
const TRIED = 50;
/**
 * Maximum connections that wait until the process accepts them; Linux allows at most 4,096 (`net.core.somaxconn`). With
 * Node's usual value, 511, a flood makes the system drop the connections of others, which then try again after 1 s.
 */
const BACKLOG = 4_096;

export interface Place {
  readonly host: string;
  /** The port to listen on; 0 uses any free port. */
  readonly port: number;
  /** Name of the setting to change, which the error's remedy mentions. */
  readonly setting: string;
  /** Ports that other parts of the process will use, so they are not suggested as free. */
  readonly avoid: readonly number[];
}

/**
 * Listens on the port and resolves with it. Throws `config-invalid`, or `port-in-use`, whose message names the next
 * free port.
 */
export async function listen(server: Server, place: Place): Promise<number> {
  try {
    return await tryListen(server, place.host, place.port);
  } catch (cause) {
    const { host, port, setting } = place;
    const code = codeOf(cause);
    if (code === 'EADDRINUSE') throw await inUse(place, cause);
    const cure =
      code === 'EACCES'
        ? `Set ${setting} to a port above 1023.`
        : 'Set PARLEY_HOST to an address of this machine.';
    throw new BridgeError('config-invalid', `Cannot listen on ${host}, port ${port} (${code}). ${cure}`, {
      cause,
    });
  }
}

async function inUse(place: Place, cause: unknown): Promise<BridgeError> {
  const { host, port, setting } = place;
  const free = await nextFree(place);
  const cure =
    free === undefined
      ? `Set ${setting} to a free port.`
      : `Port ${free} is free: ${setting}=${free} npm start`;
  const message = `Port ${port} on ${host} is in use, perhaps by another Parley. ${cure}`;
  return new BridgeError('port-in-use', message, {
    cause,
    facts: { port, ...(free !== undefined && { free }) },
  });
}

async function nextFree({ host, port, avoid }: Place): Promise<number | undefined> {
  for (let next = port + 1; next <= port + TRIED; next++) {
    if (avoid.includes(next)) continue;
    const probe = createServer();
    const free = await tryListen(probe, host, next).catch(() => undefined);
    await new Promise((closed) => probe.close(closed));
    if (free !== undefined) return next;
  }
  return undefined;
}

function tryListen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve(portOf(server.address()));
    });
  });
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
