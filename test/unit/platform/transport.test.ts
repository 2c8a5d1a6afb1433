/** Tests one HTTP request: the bytes sent, the answer, and the error of each failure. */

import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../src/errors.ts';
import { defaultTimeouts } from '../../../src/platform/limits.ts';
import {
  createTransport,
  NOT_SENT,
  type Transport,
  type WireAnswer,
  type WireRequest,
} from '../../../src/platform/transport.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';

let clock: VirtualClock;
let transport: Transport;
let server: Server;
let handle: (request: IncomingMessage, response: ServerResponse) => void;

const listening = async (made: Server): Promise<Server> => {
  made.listen(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
};

beforeEach(async () => {
  clock = createVirtualClock();
  transport = createTransport(defaultTimeouts, clock);
  handle = (_, response) => void response.end('answer');
  server = await listening(createHttpServer((request, response) => handle(request, response)));
});
afterEach(async () => {
  await transport.close();
  await new Promise((closed) => server.close(closed));
});

const never = new AbortController().signal;
const send = (changes: Partial<WireRequest> = {}): Promise<WireAnswer> =>
  transport.send({
    ...{ operation: 'getUser', method: 'GET', headers: {}, firstByteMs: 1_000, signal: never },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/path?x=1`,
    ...changes,
  });
const read = async (answer: WireAnswer, limit = 1_000): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes(limit)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const failed = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (thrown: unknown) => thrown,
  );
const oneByOne = (...chunks: string[]) => ({
  length: chunks.join('').length,
  async *bytes() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  },
});

describe('a request', () => {
  /** Sends a request with `changes`, and returns it as the server received it. */
  const arrived = async (changes: Partial<WireRequest>) => {
    const seen = Promise.withResolvers<unknown>();
    handle = async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { host: _, connection: __, ...headers } = request.headers;
      seen.resolve({
        method: request.method,
        url: request.url,
        headers,
        body: String(Buffer.concat(chunks)),
      });
      response.end();
    };
    (await send(changes)).discard();
    return seen.promise;
  };
  const ours = { 'accept-encoding': 'identity', 'user-agent': 'parley' };

  test('has the headers of its caller and few others', async () => {
    expect(await arrived({ headers: { authorization: 'Bearer t', 'user-agent': 'other' } })).toEqual({
      ...{ method: 'GET', url: '/path?x=1', body: '' },
      headers: { ...ours, authorization: 'Bearer t', 'user-agent': 'other' },
    });
  });

  test('has its body, as text or as a stream', async () => {
    expect(await arrived({ method: 'POST', body: '{"a":1}' })).toMatchObject({
      ...{ method: 'POST', body: '{"a":1}' },
      headers: { ...ours, 'content-length': '7' },
    });
    expect(await arrived({ method: 'PUT', body: oneByOne('ab', 'cde') })).toEqual({
      ...{ method: 'PUT', url: '/path?x=1', body: 'abcde' },
      headers: { ...ours, 'content-length': '5' },
    });
  });
});

describe('a request that its caller may still withhold', () => {
  test('is sent if the caller allows it', async () => {
    const answer = await send({ maySend: () => true });
    expect([answer.status, await read(answer)]).toEqual([200, 'answer']);
  });

  test('is not written if the caller withholds it, and leaves the connection usable', async () => {
    const connections: Socket[] = [];
    server.on('connection', (socket: Socket) => connections.push(socket));
    let requests = 0;
    handle = (_, response) => {
      requests += 1;
      response.end();
    };
    expect(await failed(send({ method: 'POST', body: '{}', maySend: () => false }))).toBe(NOT_SENT);
    (await send()).discard();
    expect([requests, connections.length]).toEqual([1, 1]);
  });

  test('is decided about only once a connection exists', async () => {
    const url = 'http://127.0.0.1:1/';
    let decisions = 0;
    const maySend = () => ++decisions > 0;
    expect(await failed(send({ url, maySend }))).toMatchObject({ code: 'platform-unreachable' });
    expect(decisions).toBe(0);
  });
});

describe('an answer', () => {
  test('has its status, each header once, and its bytes', async () => {
    handle = (_, response) => {
      response.writeHead(404, { 'Set-Cookie': ['a=1', 'b=2'], 'X-One': 'x', 'Content-Length': '8' });
      response.end('not here');
    };
    const answer = await send();
    expect(answer).toMatchObject({
      ...{ operation: 'getUser', status: 404 },
      headers: { 'set-cookie': 'a=1', 'x-one': 'x', 'content-length': '8' },
    });
    expect(await read(answer)).toBe('not here');
  });

  test('arrives after an unsolicited 100, and after other interim answers', async () => {
    handle = (_, response) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeContinue();
      response.end('after');
    };
    for (const body of [undefined, '{}']) {
      const answer = await send({ method: 'POST', ...(body !== undefined && { body }) });
      expect([answer.status, await read(answer)]).toEqual([200, 'after']);
    }
  });

  test.each([
    4, 10, 16,
  ])('arrives after an interim answer cut after %i bytes, and keeps such a text in its body', async (cut) => {
    const text = 'HTTP/1.1 100 Continue\r\n\r\n';
    server.close();
    server = await listening(
      createServer({ noDelay: true }, (socket) =>
        socket.once('data', async () => {
          for (const part of [
            text.slice(0, cut),
            text.slice(cut),
            'HTTP/1.1 200 OK\r\ncontent-length: 25\r\n\r\n',
            text,
          ]) {
            await new Promise((written) => socket.write(part, written));
            // The client reads each part before the next one is sent.
            for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
          }
        }),
      ),
    );
    const answer = await send();
    expect([answer.status, await read(answer)]).toEqual([200, text]);
  });

  test('with the cookie of a load balancer leaves the next request as it is', async () => {
    const cookies: unknown[] = [];
    handle = ({ headers }, response) => {
      cookies.push(headers.cookie);
      response.writeHead(200, { 'set-cookie': 'AWSALB=x; Path=/; HttpOnly' }).end('answer');
    };
    for (const _ of [1, 2]) expect(await read(await send())).toBe('answer');
    expect(cookies).toEqual([undefined, undefined]);
  });

  test('a redirect is not followed', async () => {
    let requests = 0;
    handle = (_, response) => {
      requests += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    };
    const answer = await send();
    expect([answer.status, answer.headers.location, requests]).toEqual([302, '/elsewhere', 1]);
    answer.discard();
  });

  test('an unknown encoding is an error', async () => {
    handle = (_, response) => void response.writeHead(200, { 'content-encoding': 'rot13' }).end('nafjre');
    expect(await failed(read(await send()))).toMatchObject({ code: 'platform-protocol' });
  });

  test('discarding an answer ends its connection', async () => {
    const ended = Promise.withResolvers<void>();
    handle = (_, response) => {
      response.on('close', () => ended.resolve());
      response.write('endless');
    };
    (await send()).discard();
    await ended.promise;
  });
});

describe('an answer’s size', () => {
  const tooLarge = {
    code: 'platform-too-large',
    message: 'The answer to getUser is larger than 6 bytes.',
    facts: { operation: 'getUser', limit: 6 },
  };
  test('may equal the limit', async () => {
    expect(await read(await send(), 6)).toBe('answer');
    handle = (_, response) => {
      response.write('ans');
      response.end('wer');
    };
    expect(await read(await send(), 6)).toBe('answer');
  });

  test('over the limit is not read if its header announces it', async () => {
    const ended = Promise.withResolvers<void>();
    handle = (_, response) => {
      response.on('close', () => ended.resolve());
      response.writeHead(200, { 'content-length': '7' }).flushHeaders();
    };
    expect(await failed(read(await send(), 6))).toMatchObject(tooLarge);
    await ended.promise;
  });

  test('over the limit ends the connection', async () => {
    const ended = Promise.withResolvers<void>();
    handle = (_, response) => {
      response.on('close', () => ended.resolve());
      response.write('answers');
    };
    expect(await failed(read(await send(), 6))).toMatchObject(tooLarge);
    await ended.promise;
  });

  test('is measured after decoding', async () => {
    handle = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(10_000)));
    };
    expect(await failed(read(await send(), 1_000))).toMatchObject({ code: 'platform-too-large' });
  });
});

describe('a failure before the answer', () => {
  test('is a time-out after the time for the first byte, measured by the bridge’s clock', async () => {
    const asked = Promise.withResolvers<void>();
    handle = () => asked.resolve();
    const late = failed(send());
    await asked.promise;
    await clock.pass(1_000);
    expect(await late).toMatchObject({
      code: 'platform-timeout',
      message: 'The platform did not answer getUser within 1000 ms.',
      facts: { operation: 'getUser' },
    });
  });

  test('leaves no timer behind', async () => {
    (await send()).discard();
    await clock.pass(0);
    expect(clock.waiting).toBe(0);
  });

  test('is the caller’s own reason, before and during sending', async () => {
    const reason = new Error('stopped');
    let requests = 0;
    handle = () => {
      requests += 1;
    };
    expect(await failed(send({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    const stop = new AbortController();
    const sent = failed(send({ signal: stop.signal }));
    await expect.poll(() => requests).toBe(1);
    stop.abort(reason);
    expect(await sent).toBe(reason);
  });

  test('is "unreachable" if no server listens', async () => {
    const gone = await listening(createServer());
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    expect(await failed(send({ url: `http://127.0.0.1:${port}/` }))).toMatchObject({
      code: 'platform-unreachable',
      message:
        'The platform could not be reached for getUser (ECONNREFUSED). Check its base address and the network.',
      facts: { operation: 'getUser', reason: 'ECONNREFUSED' },
      cause: { code: 'ECONNREFUSED' },
    });
  });

  test.each([
    ['does not speak HTTP', 'nonsense\r\n\r\n', /^HTTPParserError$/],
    [
      'sends endless headers',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      /^UND_ERR_HEADERS_OVERFLOW$/,
    ],
  ])('is a protocol error if the server %s', async (_, written, reason) => {
    const other = await listening(
      createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end(written));
      }),
    );
    const { port } = other.address() as AddressInfo;
    expect(await failed(send({ url: `http://127.0.0.1:${port}/` }))).toMatchObject({
      code: 'platform-protocol',
      facts: { operation: 'getUser', reason: expect.stringMatching(reason) },
    });
    await new Promise((closed) => other.close(closed));
  });

  const breaking = (thrown: unknown) => ({
    length: 10,
    async *bytes() {
      yield Buffer.from('ab');
      throw thrown;
    },
  });

  test('is the body’s own error if the body could not be read', async () => {
    const own = new BridgeError('image-refused', 'The file has changed.');
    expect(await failed(send({ method: 'POST', body: breaking(own) }))).toBe(own);
    expect(await failed(send({ method: 'POST', body: breaking(new Error('gone')) }))).toMatchObject({
      code: 'platform-unreachable',
    });
  });

  test('is "unreachable" after the transport is closed', async () => {
    await transport.close();
    expect(await failed(send())).toMatchObject({ code: 'platform-unreachable' });
    expect(await failed(send({ guarded: true }))).toMatchObject({ code: 'platform-unreachable' });
  });
});

describe('a failure during the answer', () => {
  test('is an interruption and keeps the bytes received', async () => {
    handle = (_, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('four', () => response.destroy());
    };
    const answer = await send();
    const thrown = await failed(read(answer));
    expect(thrown).toMatchObject({
      code: 'platform-interrupted',
      message: expect.stringMatching(/^The connection broke during getUser \(.+\)\.$/),
      facts: { operation: 'getUser', reason: expect.any(String), bytes: 4 },
      cause: expect.any(Error),
    });
  });

  test('is the caller’s own reason', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    handle = (_, response) => void response.write('some');
    const answer = await send({ signal: stop.signal });
    const reading = failed(read(answer));
    stop.abort(reason);
    expect(await reading).toBe(reason);
  });
});
