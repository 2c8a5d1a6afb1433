import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { BridgeError } from '../../../src/errors.ts';
import { readLinkKey } from '../../../src/web/link-key.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';
import { createWebServer, type WebParts } from '../../../src/web/server.ts';
import { createSourceLinks } from '../../../src/web/source-links.ts';
import { quiet } from '../../fakes/quiet.ts';

const links = createMediaLinks(Buffer.alloc(32, 7), systemClock);
const sourceLinks = createSourceLinks(Buffer.alloc(32, 7), { clock: systemClock, lifeMs: 86_400_000 });
const png = Buffer.from('\x89PNG\r\n\x1a\n and the rest', 'latin1');
const from = { turn: turnId('t'), agent: agentName('a') };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function make(parts: Partial<WebParts> = {}) {
  const server = createWebServer({
    place: { host: '127.0.0.1', port: 0, setting: 'PORT', avoid: [] },
    clock: systemClock,
    log: quiet,
    metrics: { contentType: 'text/plain; version=0.0.4', text: async () => 'parley_turns 1\n' },
    media: { links, openMedia: async ({ name }) => open(name) },
    sources: { links: sourceLinks, hours: 24, find: async () => undefined },
    readiness: async () => [],
    ...parts,
  });
  closing.push(() => server.close(0));
  return server;
}

async function open(name: string) {
  if (name === 'gone') throw new BridgeError('media-unavailable', 'the platform has lost it');
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  return { type: 'image/png', bytes: name === 'svg' ? svg : png };
}

async function run(parts: Partial<WebParts> = {}) {
  const server = make(parts);
  const port = await server.listen();
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { server, port, get };
}

const image = (name: string) =>
  `/media/${links.seal({ id: name, kind: 'image', name, ref: { kind: 'file-id', id: '1' } }, from)}`;

describe('what operators ask', () => {
  it('healthz, readyz with reasons, metrics', async () => {
    const reasons = ['the sandbox is starting'];
    const { get, server } = await run({ readiness: async () => reasons });
    expect((await get('/healthz')).status).toBe(200);
    const before = await get('/readyz');
    expect(before.status).toBe(503);
    expect(await before.json()).toEqual({ status: 'not ready', reasons });
    reasons.pop();
    expect((await get('/readyz')).status).toBe(200);
    const metrics = await get('/metrics');
    expect(metrics.headers.get('content-type')).toContain('version=0.0.4');
    expect(await metrics.text()).toContain('parley_turns 1');
    server.drain();
    expect((await get('/readyz')).status).toBe(503);
    expect((await get('/healthz')).status).toBe(200);
  });

  it('every response has an id; a proxy may give one, but no nonsense', async () => {
    const { get } = await run();
    const given = async (id: string) =>
      (await get('/healthz', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await given('from-proxy.1')).toBe('from-proxy.1');
    expect(await given('a b<script>')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('mounts', () => {
  it('see their address without the path, and the raw body', async () => {
    const server = make();
    server.mount('/channel', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => response.end(`${request.url} ${Buffer.concat(chunks).toString()}`));
    });
    const port = await server.listen();
    const response = await fetch(`http://127.0.0.1:${port}/channel/in?x=1`, {
      method: 'POST',
      body: '{"a": 1}',
    });
    expect(await response.text()).toBe('/in?x=1 {"a": 1}');
    expect((await fetch(`http://127.0.0.1:${port}/nowhere`)).status).toBe(404);
  });

  it('that fail answer without details', async () => {
    const server = make();
    server.mount('/bad', () => {
      throw new Error('inner detail');
    });
    const port = await server.listen();
    const response = await fetch(`http://127.0.0.1:${port}/bad`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('inner detail');
  });
});

describe('images of answers', () => {
  it('are served by their sealed link only, so that a browser runs nothing', async () => {
    const { get } = await run();
    const response = await get(image('plan.png'));
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(response.headers.get('cache-control')).toContain('private');
    expect((await get('/media/forged')).status).toBe(404);
    expect((await get('/media/')).status).toBe(404);
    expect((await get(image('plan.png'), { method: 'POST' })).status).toBe(405);
  });

  it('that are no images, or cannot be had, are refused', async () => {
    const { get } = await run();
    expect((await get(image('svg'))).status).toBe(415);
    const gone = await get(image('gone'));
    expect(gone.status).toBe(502);
    expect(await gone.text()).not.toContain('lost it');
  });
});

describe('the port', () => {
  it('in use is an error that names the next free one', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    closing.push(() => new Promise((closed) => void taken.close(() => closed())));
    const place = { host: '127.0.0.1', port, setting: 'PORT', avoid: [port + 1] };
    const refused = await make({ place })
      .listen()
      .catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: 'port-in-use' });
    const free = Number(/PORT=(\d+)/.exec(String(refused))?.[1]);
    expect(free).toBeGreaterThan(port + 1);
    await make({ place: { ...place, port: free } }).listen();
  });
});

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

  it('get 431 for endless headers, 400 for what is no HTTP', async () => {
    const { port } = await run();
    expect(await raw(port, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)).toContain('431');
    expect(await raw(port, 'nonsense\r\n\r\n')).toContain('400');
  });

  it('that trickle their headers get 408 while others are served', async () => {
    const { port, get } = await run();
    const slow = raw(port, 'GET / HTTP/1.1\r\nhost: x\r\n');
    expect((await get('/healthz')).status).toBe(200);
    expect(await slow).toContain('408');
  });
});

describe('the key of links', () => {
  it('is made once, kept, and a damaged one is told', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-key-'));
    const key = await readLinkKey(folder);
    expect(await readLinkKey(folder)).toEqual(key);
    expect((await readFile(join(folder, 'link.key'))).byteLength).toBe(32);
    await writeFile(join(folder, 'link.key'), 'short');
    await expect(readLinkKey(folder)).rejects.toMatchObject({ code: 'data-corrupt' });
    await rm(folder, { recursive: true });
    await expect(readLinkKey(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'data-not-writable' });
  });
});
