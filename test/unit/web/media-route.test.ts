/**
 * Tests the HTTP route of images: it serves only signed and encrypted links, only images, and a limited number at once.
 */

import { once } from 'node:events';
import { get as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { BridgeError } from '../../../src/errors.ts';
import { createMediaLinks, type MediaGrant } from '../../../src/web/media-links.ts';
import { mediaRoute } from '../../../src/web/media-route.ts';
import { quiet } from '../../fakes/quiet.ts';

const MAX_CONCURRENT = 16;
const DAY_MS = 24 * 3_600_000;
const png = Buffer.from('\x89PNG\r\n\x1a\n and the rest', 'latin1');
const from = { turn: turnId('t'), agent: agentName('a') };

let now = 0;
const links = createMediaLinks(Buffer.alloc(32, 7), { now: () => now, wait: async () => undefined });
const link = (name: string) =>
  links.seal({ id: 'm', kind: 'image', name, ref: { kind: 'file-id', id: '1' } }, from) ?? '';

let openMedia: (grant: MediaGrant, signal: AbortSignal) => Promise<{ type: string; bytes: Uint8Array }>;
let warned: unknown[];
let server: Server;
let origin: string;

beforeEach(async () => {
  now = 1_793_491_200_000;
  warned = [];
  openMedia = async () => ({ type: 'image/png', bytes: png });
  const log = { ...quiet, warn: (...told: unknown[]) => void warned.push(told) };
  const route = mediaRoute({ links, log, openMedia: (grant, signal) => openMedia(grant, signal) });
  const app = express();
  app.use('/media', (request, response) => void route(request, response));
  server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/media`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const get = (path: string, method = 'GET') => fetch(`${origin}/${path}`, { method });

describe('an image', () => {
  test.each([
    ['plan.png', 'plan.png'],
    ['Größe "1".png', 'Gr%C3%B6%C3%9Fe%20%221%22.png'],
    ["it's (1)*.png", 'its%201.png'],
    ['a\r\nb: c', 'a%0D%0Ab%3A%20c'],
    ['\ud800.png', '%EF%BF%BD.png'],
  ])('named %j is shown by the browser and runs no code', async (name, written) => {
    const response = await get(link(name));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': `inline; filename*=UTF-8''${written}`,
      'content-type': 'image/png',
      'content-length': String(png.byteLength),
      'cache-control': 'private, max-age=3600',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
  });

  test('is opened by its link, whatever query follows', async () => {
    const asked: MediaGrant[] = [];
    openMedia = async (grant) => {
      asked.push(grant);
      return { type: 'image/png', bytes: png };
    };
    expect((await get(`${link('plan.png')}?v=1?v=2`)).status).toBe(200);
    expect(asked).toEqual([{ turn: 't', agent: 'a', ref: { kind: 'file-id', id: '1' }, name: 'plan.png' }]);
  });

  test('answers HEAD without a body, and refuses writes', async () => {
    const head = await get(link('plan.png'), 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(png.byteLength)]);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await get(link('plan.png'), method);
      expect([response.status, await response.text()]).toEqual([405, 'Only GET is served here.\n']);
    }
  });

  test('is recognised by its content, not its declared type', async () => {
    const bytes = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    openMedia = async () => ({ type: 'image/png', bytes });
    const response = await get(link('plan.png'));
    expect([response.status, await response.text()]).toEqual([
      415,
      'This is not an image that can be shown.\n',
    ]);
  });
});

describe('an invalid link', () => {
  test.each(['', 'forged', '%', 'a/b', 'media'])('%j: 404 in plain text', async (path) => {
    const response = await get(path);
    expect([response.status, await response.text()]).toEqual([404, 'There is nothing at this address.\n']);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('that has expired: 410', async () => {
    const sealed = link('plan.png');
    now += DAY_MS;
    const response = await get(sealed);
    expect([response.status, await response.text()]).toEqual([
      410,
      'This link has expired. Open the answer again.\n',
    ]);
  });
});

describe('an unavailable image', () => {
  test('is reported to the reader in a friendly sentence, and to the operator with its cause', async () => {
    const lost = new BridgeError('media-unavailable', 'the platform has lost it');
    openMedia = () => Promise.reject(lost);
    const response = await get(link('plan.png'));
    expect([response.status, await response.text()]).toEqual([502, `${lost.tellUser}\n`]);
    expect(warned).toEqual([
      [{ turn: 't', code: 'media-unavailable', err: lost }, 'an image of an answer could not be opened'],
    ]);
  });

  test('for a fault of the bridge is not explained to the reader', async () => {
    openMedia = () => Promise.reject(new TypeError('inner detail'));
    const response = await get(link('plan.png'));
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('inner detail');
    expect(warned).toMatchObject([[{ code: 'internal' }, expect.any(String)]]);
  });

  test('is given up silently if the reader left', async () => {
    const given = Promise.withResolvers<AbortSignal>();
    const ended = Promise.withResolvers<void>();
    openMedia = async (_, signal) => {
      given.resolve(signal);
      await once(signal, 'abort');
      ended.resolve();
      throw signal.reason;
    };
    const asked = ask(`${origin}/${link('plan.png')}`).on('error', () => undefined);
    const signal = await given.promise;
    expect(signal.aborted).toBe(false);
    asked.destroy();
    await ended.promise;
    await expect.poll(() => get('forged').then(({ status }) => status)).toBe(404);
    expect(warned).toEqual([]);
  });
});

test('16 images are opened at once; one more is refused until one of them is served', async () => {
  const ready = Promise.withResolvers<void>();
  let opening = 0;
  openMedia = async () => {
    opening += 1;
    await ready.promise;
    return { type: 'image/png', bytes: png };
  };
  const running = Array.from({ length: MAX_CONCURRENT }, () => get(link('plan.png')));
  await expect.poll(() => opening).toBe(MAX_CONCURRENT);
  const refused = await get(link('plan.png'));
  expect([refused.status, await refused.text()]).toEqual([
    503,
    'Many images are being opened. Please try again.\n',
  ]);
  ready.resolve();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(MAX_CONCURRENT).fill(200));
  for (let nth = 0; nth <= MAX_CONCURRENT; nth++) expect((await get(link('plan.png'))).status).toBe(200);
});

test('an image whose reader left while it was opened makes room for others', async () => {
  const aborted: AbortSignal[] = [];
  openMedia = (_grant, signal) => {
    aborted.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const leaving = new AbortController();
  const running = Array.from({ length: MAX_CONCURRENT }, () =>
    fetch(`${origin}/${link('plan.png')}`, { signal: leaving.signal }).catch(() => undefined),
  );
  await expect.poll(() => aborted.length).toBe(MAX_CONCURRENT);
  leaving.abort();
  await Promise.all(running);
  await expect.poll(() => aborted.every((signal) => signal.aborted)).toBe(true);
  openMedia = async () => ({ type: 'image/png', bytes: png });
  await expect.poll(async () => (await get(link('plan.png'))).status).toBe(200);
});
