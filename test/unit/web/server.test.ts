/** Tests the bridge's HTTP server: the operator's routes, failures of mounted handlers, and closing. */

import { once } from 'node:events';
import { get as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { catalogue } from '../../../src/errors.ts';
import type { WebDeps } from '../../../src/web/server.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { closeServers, links, makeServer, start } from './serving.ts';

afterEach(closeServers);

let told: unknown[][];

function make(deps: Partial<WebDeps> = {}) {
  told = [];
  return makeServer({ log: { ...quiet, error: (...facts: unknown[]) => void told.push(facts) }, ...deps });
}

const run = (deps: Partial<WebDeps> = {}) => start(make(deps));

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/** Returns the response's status, body, and the headers that tests check. */
async function seen(response: Response) {
  const names = ['content-type', 'cache-control'];
  const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
  return { status: response.status, headers, body: JSON.parse(await response.text()) };
}

describe('routes for operators', () => {
  it('healthz answers as long as the process lives', async () => {
    const { get, server } = await run({ readiness: async () => ['the sandbox is starting'] });
    const alive = async () => {
      const response = await get('/healthz');
      return [response.status, await response.json()];
    };
    expect(await alive()).toEqual([200, { status: 'ok' }]);
    server.drain();
    expect(await alive()).toEqual([200, { status: 'ok' }]);
  });

  it('readyz names the reasons why the bridge is not ready', async () => {
    const reasons = ['the sandbox is starting'];
    const { get, server } = await run({ readiness: async () => reasons });
    const ready = async () => seen(await get('/readyz'));
    const notReady = (...all: string[]) => ({
      ...{ status: 503, headers: JSON_HEADERS },
      body: { status: 'not ready', reasons: all },
    });
    expect(await ready()).toEqual(notReady('the sandbox is starting'));
    reasons.pop();
    expect(await ready()).toEqual({
      ...{ status: 200, headers: JSON_HEADERS },
      body: { status: 'ready', reasons: [] },
    });
    server.drain();
    expect(await ready()).toEqual(notReady('shutting down'));
  });

  it('idle connections stay open longer than those of the usual proxies', async () => {
    const { get } = await run({});
    expect((await get('/healthz')).headers.get('keep-alive')).toBe('timeout=125');
  });

  it('metrics have their own content type', async () => {
    const { get } = await run();
    const metrics = await get('/metrics');
    expect(metrics.status).toBe(200);
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await metrics.text()).toBe('parley_turns 1\n');
  });

  it.each(['/readyz', '/metrics'])('%s that fails answers 500 and is logged', async (path) => {
    const err = new Error('inner detail');
    const fails = () => Promise.reject(err);
    const { get } = await run({ readiness: fails, metrics: { contentType: 'text/plain', text: fails } });
    expect((await get(path)).status).toBe(500);
    expect(told).toEqual([[expect.objectContaining({ err, path }), 'a request failed']]);
  });
});

describe('every response', () => {
  it.each(['from-proxy.1', 'A_z.0-9', 'x'.repeat(64)])('keeps the id %j that a proxy gave', async (id) => {
    const { get } = await run();
    const response = await get('/healthz', { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toBe(id);
  });

  it.each([
    'a b<script>',
    '<script>b',
    'x'.repeat(65),
    '',
    undefined,
  ])('has its own id if %j was given', async (id) => {
    const { get } = await run();
    const response = await get('/nowhere', { headers: id === undefined ? {} : { 'x-request-id': id } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('names neither the server’s software nor a version of the content', async () => {
    const { get } = await run();
    const { headers } = await get('/healthz');
    expect([headers.get('x-powered-by'), headers.get('etag')]).toEqual([null, null]);
  });
});

describe('mounts', () => {
  it('of the root get the requests of all other paths, in any order of mounting', async () => {
    const server = make();
    for (const path of ['/', '/channel']) {
      server.mount(path, (_request, response) => void response.end(path));
    }
    const port = await server.listen();
    const said = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    expect([await said('/channel'), await said('/other')]).toEqual(['/channel', '/']);
  });

  it('get the address without the path, and the raw body', async () => {
    const server = make();
    server.mount('/channel', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => response.end(`${request.url} ${Buffer.concat(chunks).toString()}`));
    });
    const { get } = await start(server);
    const response = await get('/channel/in?x=1', { method: 'POST', body: '{"a": 1}' });
    expect(await response.text()).toBe('/in?x=1 {"a": 1}');
    expect(await seen(await get('/nowhere'))).toEqual({
      ...{ status: 404, headers: JSON_HEADERS },
      body: { error: { code: 'not-found', message: 'There is nothing at this address.' } },
    });
  });

  it('that fail answer without details, and are logged with the request’s id', async () => {
    const server = make();
    const err = new Error('inner detail');
    server.mount('/bad', () => {
      throw err;
    });
    const { get } = await start(server);
    const response = await get('/bad', { headers: { 'x-request-id': 'from-proxy.1' } });
    expect(await seen(response)).toEqual({
      ...{ status: 500, headers: JSON_HEADERS },
      body: { error: { code: 'internal', message: catalogue.internal.tellUser } },
    });
    expect(told).toEqual([[{ err, path: '/bad', request: 'from-proxy.1' }, 'a request failed']]);
  });

  it('that cannot read an address answer 400', async () => {
    const server = make();
    server.mount('/room', (request) => void decodeURIComponent(request.url ?? ''));
    const { get } = await start(server);
    expect(await seen(await get('/room/%E0'))).toEqual({
      ...{ status: 400, headers: JSON_HEADERS },
      body: { error: { code: 'bad-request', message: 'That address is not valid.' } },
    });
  });

  it('that fail within an answer close the connection, so that the answer does not look complete', async () => {
    const server = make();
    server.mount('/half', (_request, response) => {
      response.write('one of two');
      throw new Error('inner detail');
    });
    const { get } = await start(server);
    const text = get('/half').then((response) => response.text());
    await expect(text).rejects.toThrow();
    expect(told).toHaveLength(1);
  });
});

it('images of answers are served by their sealed link only', async () => {
  const { get } = await run();
  const from = { turn: turnId('t'), agent: agentName('a') };
  const ref = { kind: 'file-id', id: '1' } as const;
  const image = links.seal({ id: 'm', kind: 'image', name: 'plan.png', ref }, from);
  expect((await get(`/media/${image}`)).status).toBe(200);
  expect((await get('/media/forged')).status).toBe(404);
  expect((await get('/media')).status).toBe(404);
});

describe('closing', () => {
  const clock = createVirtualClock();

  /** Starts a server with one request that is answered when the test releases it. */
  async function busy() {
    const server = make({ clock });
    const got = Promise.withResolvers<ServerResponse>();
    server.mount('/slow', (_: IncomingMessage, response: ServerResponse) => got.resolve(response));
    const { port } = await start(server);
    const ended = new Promise<string>((resolve) => {
      const asked = ask({ host: '127.0.0.1', port, path: '/slow', agent: false }, (response) => {
        response.resume().on('end', () => resolve('answered'));
      });
      asked.on('error', () => resolve('broken off'));
    });
    return { server, port, ended, response: await got.promise };
  }

  it('gives running requests their time, accepts no new ones, and then ends', async () => {
    const { server, port, ended, response } = await busy();
    const closed = server.close(5_000);
    await clock.pass(4_999);
    const [refused] = await once(connect(port, '127.0.0.1'), 'error');
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
    response.end();
    expect(await ended).toBe('answered');
    await closed;
    expect(clock.waiting).toBe(0);
  });

  it('ends a request that takes longer', async () => {
    const { server, ended } = await busy();
    const closed = server.close(5_000);
    await clock.pass(5_000);
    expect(await ended).toBe('broken off');
    await closed;
  });

  it('for a second time does not shorten the first', async () => {
    const { server, ended, response } = await busy();
    const closed = server.close(5_000);
    await server.close(0);
    response.end();
    expect(await ended).toBe('answered');
    await closed;
  });

  it('before it listens ends immediately', async () => {
    await make({ clock }).close(5_000);
    expect(clock.waiting).toBe(0);
  });
});
