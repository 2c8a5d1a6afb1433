import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { readBody } from '../../../adapters/console/http/body.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

it('refuses a body that has not arrived after 10 s', async () => {
  const clock = createVirtualClock();
  const reading = Promise.withResolvers<unknown>();
  const server = createServer((request) => {
    const limit = { bytes: 100, ms: 10_000, what: 'message' };
    reading.resolve(readBody(request, limit, clock).catch((error: unknown) => error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\nhalf');
  const outcome = reading.promise;
  await new Promise((resolve) => server.once('request', resolve));
  await clock.pass(10_000);
  expect(await outcome).toMatchObject({ status: 408, code: 'too-slow' });
  client.destroy();
  server.close();
});
