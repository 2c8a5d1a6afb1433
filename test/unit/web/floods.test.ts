/**
 * Tests what one client can hold of the server: connections of refused requests, bodies that never end, connections and
 * requests from one address, and responses that it does not read (attacks S27, S28).
 */

import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { waitFor } from '../../fakes/wait-for.ts';
import { closeServers, makeServer, start } from './serving.ts';

const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await closeServers();
});

/** Opens a connection, sends the text, and collects what comes back. Keeps its own half open, as an attacker does. */
function dial(port: number, text = '') {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  const heard = { text: '', closed: false, ended: false };
  socket.on('data', (data) => {
    heard.text += data.toString('latin1');
  });
  socket.on('end', () => {
    heard.ended = true;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    heard.closed = true;
  });
  socket.write(text);
  return { socket, heard };
}

const answered = (heard: { text: string }, status: number) =>
  waitFor(() => expect(heard.text).toContain(`HTTP/1.1 ${status} `));
const whole = { 'content-length': 'content-length: 100000', chunked: 'transfer-encoding: chunked' };
const post = (path: string, length: string) => `POST ${path} HTTP/1.1\r\nhost: x\r\n${length}\r\n\r\n`;

/** Resolves when a new connection gets a response, because the server has noticed the end of an earlier one. */
const served = (port: number, request: string) =>
  waitFor(async () => {
    const { heard } = dial(port, request);
    await waitFor(() => expect(heard.text !== '' || heard.ended || heard.closed).toBe(true));
    expect(heard.text).toContain('HTTP/1.1 200 ');
  });

describe('a response to a request whose body has not arrived', () => {
  const open = async () => {
    const clock = createVirtualClock();
    const server = makeServer({ clock });
    server.mount('/refusing', (_request, response) => void response.writeHead(401).end('no'));
    server.mount('/reading', (request, response) => {
      request.resume().once('end', () => response.end('read'));
    });
    return { ...(await start(server)), clock };
  };

  it.each([
    ['/refusing', 401, whole['content-length']],
    ['/refusing', 401, whole.chunked],
    ['/nowhere', 404, whole['content-length']],
    ['/media/forged', 405, whole.chunked],
    ['/sources/forged', 405, whole['content-length']],
  ])('closes the connection: %s with %i, %s (S27)', async (path, status, length) => {
    const { port, clock } = await open();
    const { socket, heard } = dial(port, post(path, length));
    await answered(heard, status);
    expect(heard.text.toLowerCase()).toContain('connection: close');
    await waitFor(() => expect(heard.ended).toBe(true));
    // The rest of the body is read for a moment, so that the client can read the response.
    socket.write('x');
    expect(heard.closed).toBe(false);
    await clock.pass(5_000);
    socket.end();
    await waitFor(() => expect(heard.closed).toBe(true));
  });

  it('is not closed once the body has arrived', async () => {
    const { port } = await open();
    const one = `${post('/reading', 'content-length: 2')}ok`;
    const { heard } = dial(port, one);
    await waitFor(() => expect(heard.text).toContain('read'));
    expect(heard.text.toLowerCase()).not.toContain('connection: close');
    expect(heard.ended).toBe(false);
  });

  it('is followed by no other request on this connection', async () => {
    const { port, clock } = await open();
    const { heard } = dial(
      port,
      `${post('/refusing', 'content-length: 2')}ok${post('/reading', 'content-length: 0')}`,
    );
    await waitFor(() => expect(heard.ended).toBe(true));
    expect(heard.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
    await clock.pass(5_000);
  });
});

describe('one address', () => {
  const request = 'GET /held/ HTTP/1.1\r\nhost: x\r\n\r\n';
  const open = async (clients: { trustedProxies?: readonly string[] }) => {
    const warned: string[] = [];
    const log = { ...quiet, warn: (_facts: object, text: string) => void warned.push(text) };
    const server = makeServer({ log, clients: { share: 3, ...clients } });
    let held = 0;
    server.mount('/held', (_request, response) => {
      held += 1;
      response.writeHead(200).write('held');
    });
    return { ...(await start(server)), warned, held: () => held };
  };
  const from = (address: string) => request.replace('\r\n\r\n', `\r\nx-forwarded-for: ${address}\r\n\r\n`);

  it('has a share of the connections (S27)', async () => {
    const { port, warned, held } = await open({});
    const first = Array.from({ length: 3 }, () => dial(port, request));
    await waitFor(() => expect(held()).toBe(3));
    const more = Array.from({ length: 3 }, () => dial(port, request));
    await waitFor(() => expect(more.every(({ heard }) => heard.ended || heard.closed)).toBe(true));
    expect(held()).toBe(3);
    expect(warned).toEqual([expect.stringContaining('server.trustedProxies')]);
    first[0]?.socket.destroy();
    await served(port, request);
  });

  it('behind a trusted proxy has a share of the open requests, and others are served (S27)', async () => {
    const { port, held } = await open({ trustedProxies: ['127.0.0.0/8'] });
    const first = Array.from({ length: 3 }, () => dial(port, from('203.0.113.7:5555')));
    await waitFor(() => expect(held()).toBe(3));
    const fourth = dial(port, from('203.0.113.7'));
    await answered(fourth.heard, 429);
    await waitFor(() => expect(fourth.heard.ended).toBe(true));
    const other = dial(port, from('203.0.113.8'));
    await answered(other.heard, 200);
    first[0]?.socket.destroy();
    await served(port, from('203.0.113.7'));
  });

  it('cannot claim other addresses without a trusted proxy (S27)', async () => {
    const { port, held } = await open({});
    for (let nth = 0; nth < 6; nth += 1) dial(port, from(`203.0.113.${nth}`));
    await waitFor(() => expect(held()).toBe(3));
    await waitFor(() => expect(sockets.filter((each) => each.readableEnded || each.closed)).toHaveLength(3));
    expect(held()).toBe(3);
  });
});

describe('a response that the client does not read', () => {
  const open = async () => {
    const server = makeServer({ clients: { stalledMs: 100 } });
    const ends: ('whole' | 'cut')[] = [];
    server.mount('/large', (_request, response) => {
      response.once('close', () => ends.push(response.writableFinished ? 'whole' : 'cut'));
      response.end(Buffer.alloc(8 * 1024 * 1024));
    });
    server.mount('/late', (_request, response) => void setTimeout(() => response.end('late'), 300));
    return { ...(await start(server)), ends };
  };
  const large = 'GET /large/ HTTP/1.1\r\nhost: x\r\n\r\n';

  it('is ended (S28)', async () => {
    const { port, ends } = await open();
    dial(port, large).socket.pause();
    await waitFor(() => expect(ends).toEqual(['cut']));
  });

  it('is ended earlier if all unread responses together need too much memory (S28)', async () => {
    const clock = createVirtualClock();
    const server = makeServer({ clock, clients: { unreadBytes: 25 * 1024 * 1024 } });
    const ends: ('whole' | 'cut')[] = [];
    let begun = 0;
    server.mount('/large', (_request, response) => {
      begun += 1;
      response.once('close', () => ends.push(response.writableFinished ? 'whole' : 'cut'));
      response.end(Buffer.alloc(20 * 1024 * 1024));
    });
    const { port, get } = await start(server);
    for (let nth = 0; nth < 4; nth += 1) dial(port, large).socket.pause();
    await waitFor(() => expect(begun).toBe(4));
    await clock.pass(1_000);
    expect((await get('/healthz')).status).toBe(200);
    await waitFor(() => expect(ends).toEqual(['cut', 'cut', 'cut']));
    expect((await get('/healthz')).status).toBe(200);
    expect(ends).toHaveLength(3);
  });

  it('is sent whole if the client reads it in the end', async () => {
    const { port, ends } = await open();
    const { socket } = dial(port, large);
    const pausing = setInterval(() => socket.pause(), 5);
    const reading = setInterval(() => socket.resume(), 7);
    await waitFor(() => expect(ends).toEqual(['whole']));
    clearInterval(pausing);
    clearInterval(reading);
  });

  it('is not ended while the bridge still works on it', async () => {
    const { get } = await open();
    expect(await (await get('/late')).text()).toBe('late');
  });
});

describe('a header that may appear only once', () => {
  it.each([
    'host: a\r\nhost: b',
    'host: a\r\nHost: a',
    'host: a, b',
    'host: a@b',
    'host: a b',
    'host: a/b',
    'host: a\r\nauthorization: Bearer a\r\nAuthorization: Bearer b',
    'host: a\r\ncontent-type: application/json\r\ncontent-type: text/plain',
    'host: a\r\norigin: http://a\r\norigin: http://b',
    'host: a\r\ncontent-length: 0\r\ncontent-length: 0',
    'host: a\r\ncontent-length: 0\r\ntransfer-encoding: chunked',
    'host: a\r\nreferer: http://a\r\nreferer: http://b',
    'host: a\r\nuser-agent: a\r\nuser-agent: b',
    'host: a\r\nif-modified-since: a\r\nif-modified-since: b',
    'host: a\r\nlast-event-id: 1\r\nlast-event-id: 2',
    'host: a\r\nproxy-authorization: Basic a\r\nproxy-authorization: Basic b',
    'host: a\r\nfrom: a@b\r\nfrom: c@d',
    'host: a\r\nif-unmodified-since: a\r\nif-unmodified-since: b',
    'host: a\r\nif-range: "a"\r\nif-range: "b"',
    'host: a\r\nmax-forwards: 1\r\nmax-forwards: 2',
    'x: no host',
  ])('is refused with 400: %j', async (headers) => {
    const { port } = await start(makeServer());
    const { heard } = dial(port, `GET /healthz HTTP/1.1\r\n${headers}\r\n\r\n`);
    await answered(heard, 400);
    await waitFor(() => expect(heard.ended).toBe(true));
  });

  it.each([
    'host: a\r\naccept: text/html\r\naccept: text/plain',
    'host: a\r\ncookie: a=1\r\ncookie: b=2',
    'host: a\r\nx-forwarded-for: 10.0.0.1\r\nx-forwarded-for: 10.0.0.2',
    'host: [::1]:3000',
    'host: my_service.local:80',
    'host: ',
  ])('does not concern %j', async (headers) => {
    const { port } = await start(makeServer());
    const { heard } = dial(port, `GET /healthz HTTP/1.1\r\n${headers}\r\n\r\n`);
    await answered(heard, 200);
  });
});
