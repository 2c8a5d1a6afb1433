/**
 * Tests the HTTP server's limits on headers, on the time to receive them, and on requests that are sent without waiting
 * (attack S22).
 */

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

  it('get 431 for endless headers, 400 for invalid HTTP (S22)', async () => {
    const { port } = await start(makeServer());
    expect(await raw(port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)).toContain('431');
    expect(await raw(port, 'nonsense\r\n\r\n')).toContain('400');
  });

  it('that send many requests without waiting for answers are cut off (S22)', async () => {
    let handled = 0;
    const server = makeServer();
    server.mount('/counted', (_request, response) => {
      handled += 1;
      response.end('counted');
    });
    const { port, get } = await start(server);
    const request = 'GET /counted/ HTTP/1.1\r\nhost: x\r\n\r\n';
    await raw(port, request.repeat(1_000));
    expect(handled).toBeGreaterThan(0);
    expect(handled).toBeLessThan(100);
    expect((await get('/counted/')).status).toBe(200);
  });

  it('that send a few requests without waiting get all answers', async () => {
    const server = makeServer();
    server.mount('/counted', (_request, response) => void response.end('counted'));
    const { port } = await start(server);
    const last = 'GET /counted/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
    const heard = await raw(port, 'GET /counted/ HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(9) + last);
    expect(heard.match(/200 OK/g)).toHaveLength(10);
  });

  it('that send headers slowly get 408 while others are served (S22)', async () => {
    const { port, get } = await start(makeServer());
    const slow = raw(port, 'GET / HTTP/1.1\r\nhost: x\r\n');
    expect((await get('/healthz')).status).toBe(200);
    expect(await slow).toContain('408');
  });
});
