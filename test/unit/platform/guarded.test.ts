/**
 * Tests that addresses in answers never lead into a private network, even if the name resolves differently when the
 * connection opens (attack S06).
 */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { BridgeError } from '../../../src/errors.ts';
import { defaultTimeouts } from '../../../src/platform/limits.ts';
import { createTransport, type Transport } from '../../../src/platform/transport.ts';

/** Results of successive look-ups of a name; the last result repeats. */
const names = new Map<string, string[][]>();
const asked: string[] = [];
vi.mock('node:dns', async (original) => ({
  ...(await original<object>()),
  lookup: (
    hostname: string,
    _: object,
    done: (error: Error | null, addresses: readonly object[]) => void,
  ) => {
    asked.push(hostname);
    const answers = names.get(hostname) ?? [];
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    setImmediate(() =>
      done(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
    );
  },
}));

const PUBLIC = '93.184.216.34';
const HERE = '127.0.0.1';
let server: Server;
let transport: Transport;
let connections = 0;
beforeEach(async () => {
  names.clear();
  asked.length = 0;
  connections = 0;
  server = createServer((_, response) => void response.end('reached'));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((done) => server.listen(0, HERE, done));
  transport = createTransport({ ...defaultTimeouts, connectMs: 300 }, systemClock);
});
afterEach(async () => {
  await transport.close();
  await new Promise((done) => server.close(done));
});

const ask = async (host: string, guarded: boolean): Promise<string> => {
  const { port } = server.address() as AddressInfo;
  const answer = await transport.send({
    ...{ operation: 'media', method: 'GET', url: `http://${host}:${port}/`, headers: {}, firstByteMs: 2_000 },
    ...{ signal: new AbortController().signal, ...(guarded && { guarded: true as const }) },
  });
  let text = '';
  for await (const chunk of answer.bytes(1_000)) text += Buffer.from(chunk).toString();
  return text;
};

test('the platform itself may run on this machine', async () => {
  expect(await ask('localhost', false)).toBe('reached');
  expect(asked).toEqual([]);
});

test.each([
  ['this machine', [[HERE]]],
  ['a private network', [['10.0.0.7']]],
  ['a public and a private address', [[PUBLIC, HERE]]],
  ['nothing', [[]]],
])('S06: a foreign name that resolves to %s is not connected to', async (_, answers) => {
  names.set('localhost', answers);
  await expect(ask('localhost', true)).rejects.toBeInstanceOf(BridgeError);
  expect(asked).toEqual(['localhost']);
  expect(connections).toBe(0);
});

test('S06: a name is checked again when the connection opens', async () => {
  names.set('localhost', [[PUBLIC], [HERE]]);
  // The fake resolver returns PUBLIC for the first request, which fails because PUBLIC is unreachable. It returns HERE
  // for the second request, which must be refused.
  await expect(ask('localhost', true)).rejects.toBeInstanceOf(BridgeError);
  await expect(ask('localhost', true)).rejects.toBeInstanceOf(BridgeError);
  expect(asked).toEqual(['localhost', 'localhost']);
  expect(connections).toBe(0);
});
