import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readBody } from '../../../adapters/console/http/body.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Begins a body that is read, and returns how the reading ends. */
async function begin(clock: VirtualClock) {
  const reading = Promise.withResolvers<unknown>();
  const server = createServer((request) => {
    const limit = { bytes: 100, ms: 10_000, what: 'message' };
    reading.resolve(readBody(request, limit, clock).catch((error: unknown) => error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\nhalf');
  await new Promise((resolve) => server.once('request', resolve));
  closing.push(
    () => client.destroy(),
    () => server.close(),
  );
  return { outcome: reading.promise, client };
}

it('refuses a body that has not arrived after 10 s', async () => {
  const clock = createVirtualClock();
  const { outcome } = await begin(clock);
  await clock.pass(10_000);
  expect(await outcome).toMatchObject({ status: 408, code: 'too-slow' });
});

it('counts a body that is broken off as a fault of the sender, so that strangers cannot fill the log (S27)', async () => {
  const { outcome, client } = await begin(createVirtualClock());
  client.resetAndDestroy();
  expect(await outcome).toMatchObject({ status: 400, code: 'broken-off' });
});
