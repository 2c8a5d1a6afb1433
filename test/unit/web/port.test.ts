/** Tests how the bridge's server listens on its port: the errors if it cannot, and the server's state afterwards. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listen, type Place } from '../../../src/web/port.ts';

const HOST = '127.0.0.1';
/** The tests use ports from 20,000 to 32,000, below those that the system assigns by itself (from 32,768 on Linux). */
const LOWEST = 20_000;
const HIGHEST = 32_000;
/** Number of ports above a used one that the bridge tries. */
const TRIED = 50;

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await new Promise((closed) => server.close(closed));
});

/** Takes the port, or returns undefined if another process has it. */
async function take(port: number): Promise<Server | undefined> {
  const server = createServer();
  const taken = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, HOST, () => resolve(true));
  });
  if (taken) open.push(server);
  return taken ? server : undefined;
}

const isFree = async (port: number): Promise<boolean> => {
  const server = await take(port);
  if (server === undefined) return false;
  open.splice(open.indexOf(server), 1);
  await new Promise((closed) => server.close(closed));
  return true;
};

const refusalAt = (place: Partial<Place>, server = createServer()): Promise<unknown> =>
  listen(server, { host: HOST, port: 0, setting: 'PARLEY_PORT', avoid: [], ...place }).then(
    () => 'listens',
    (thrown: unknown) => thrown,
  );

/** Returns a server that fails to listen with this system error code. */
function failing(code: string): Server {
  const server = createServer();
  const failed = Object.assign(new Error(`listen ${code}`), { code });
  server.listen = () => {
    queueMicrotask(() => server.emit('error', failed));
    return server;
  };
  return server;
}

test('resolves with the port, and leaves later errors of the server to others', async () => {
  const server = createServer();
  open.push(server);
  const port = await listen(server, { host: HOST, port: 0, setting: 'PARLEY_PORT', avoid: [] });
  expect(port).toBe((server.address() as AddressInfo).port);
  expect(port).toBeGreaterThan(0);
  expect(server.listenerCount('error')).toBe(0);
});

describe('a port in use', () => {
  let port = LOWEST;
  beforeEach(async () => {
    do port += TRIED + 1;
    while (port < HIGHEST && !((await isFree(port + TRIED)) && (await take(port)) !== undefined));
  });
  const above = (count: number) => Array.from({ length: count }, (_, nth) => port + 1 + nth);

  test('is reported with the next free port that is not reserved, up to 50 above', async () => {
    const refused = await refusalAt({ port, avoid: above(TRIED - 1) });
    expect(refused).toMatchObject({
      code: 'port-in-use',
      message: `Port ${port} on 127.0.0.1 is in use, perhaps by another Parley. Port ${port + TRIED} is free: PARLEY_PORT=${port + TRIED} npm start`,
      facts: { port, free: port + TRIED },
      cause: { code: 'EADDRINUSE' },
    });
  });

  test('is reported without a free port if none of the 50 above is free', async () => {
    const refused = await refusalAt({ port, avoid: above(TRIED) });
    expect(refused).toMatchObject({
      code: 'port-in-use',
      message: `Port ${port} on 127.0.0.1 is in use, perhaps by another Parley. Set PARLEY_PORT to a free port.`,
    });
    expect(refused).toHaveProperty('facts');
    expect(Object.entries(Object(refused).facts)).toEqual([['port', port]]);
  });

  test('is reported without a reserved port as free', async () => {
    await take(port + 1);
    expect(await refusalAt({ port })).not.toHaveProperty('facts.free', port + 1);
  });
});

test('is reported without a free port if it is the highest', async () => {
  await take(65_535);
  expect(await refusalAt({ port: 65_535 })).toHaveProperty('facts', { port: 65_535 });
});

describe('an unavailable address', () => {
  test('names the port’s setting if the system requires more rights for it', async () => {
    expect(await refusalAt({ port: 80 }, failing('EACCES'))).toMatchObject({
      code: 'config-invalid',
      message: 'Cannot listen on 127.0.0.1, port 80 (EACCES). Set PARLEY_PORT to a port above 1023.',
      cause: { code: 'EACCES' },
    });
  });

  test('names PARLEY_HOST if the address is not of this machine', async () => {
    expect(await refusalAt({ host: '192.0.2.1' }, failing('EADDRNOTAVAIL'))).toMatchObject({
      code: 'config-invalid',
      message:
        'Cannot listen on 192.0.2.1, port 0 (EADDRNOTAVAIL). Set PARLEY_HOST to an address of this machine.',
    });
  });
});
