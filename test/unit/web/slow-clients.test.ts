/** Tests the HTTP server's limits on the size of headers and on the time to receive them. */

import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { closeServers, makeServer, start } from './serving.ts';

afterEach(closeServers);

describe('clients that misbehave', () => {
  const raw = (port: number, text: string) =>
    new Promise<string>((resolve) => {
      let heard = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.on('data', (data) => {
        heard += data.toString();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', () => resolve(heard));
    });

  it('get 431 for endless headers, 400 for invalid HTTP', async () => {
    const { port } = await start(makeServer());
    expect(await raw(port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)).toContain('431');
    expect(await raw(port, 'nonsense\r\n\r\n')).toContain('400');
  });

  it('that send headers slowly get 408 while others are served', async () => {
    const { port, get } = await start(makeServer());
    const slow = raw(port, 'GET / HTTP/1.1\r\nhost: x\r\n');
    expect((await get('/healthz')).status).toBe(200);
    expect(await slow).toContain('408');
  });
});
