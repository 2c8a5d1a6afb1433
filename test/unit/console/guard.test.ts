/**
 * Tests attack S13 on the console: requests of other sites, requests through proxies, and requests without the cookie.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleState } from '../../../adapters/console/wire.ts';
import { json, openRig, type Rig, rawCall } from './rig.ts';

let rig: Rig;
let token: string;
afterEach(() => rig.close());

describe('the source of a request', () => {
  beforeEach(async () => {
    rig = await openRig({ config: { allowedHosts: ['127.0.0.1', 'Chat.example:8443', '[::1]'] } });
  });

  const getWith = (path: string, host: string) => rawCall(rig, path, { headers: { host } });

  it.each([
    '127.0.0.1:3000',
    '127.0.0.1',
    'chat.example:8443',
    '[::1]:3000',
  ])('may have the host name %j', async (host) => {
    expect((await getWith('/console/state', host)).status).toBe(200);
    expect((await getWith('/', host)).status).toBe(503);
  });

  it.each([
    'chat.example',
    'chat.example:1',
    'evil.example',
    '127.0.0.1.evil.example',
    'a b',
  ])('may not have the host name %j (S13)', async (host) => {
    for (const path of ['/console/state', '/']) expect((await getWith(path, host)).status).toBe(403);
  });

  const body = JSON.stringify({ as: 'engineer', text: '@knowledge do it', files: [], nonce: 'n' });
  const post = (headers: Record<string, string>) =>
    rawCall(rig, '/console/rooms/general/messages', { method: 'POST', headers, body });
  const type = { 'content-type': 'application/json' };

  it.each([
    ['another site', { ...type, origin: 'http://evil.example' }, 403],
    ['another port of this machine', { ...type, origin: 'http://127.0.0.1:1' }, 403],
    ['a sandboxed frame', { ...type, origin: 'null' }, 403],
    ['another site’s fetch', { ...type, 'sec-fetch-site': 'cross-site' }, 403],
    ['a page of another port', { ...type, 'sec-fetch-site': 'same-site' }, 403],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['a form that looks like JSON', { 'content-type': 'text/plain' }, 400],
  ])('is refused if it is %s (S13)', async (_who, headers, status) => {
    expect((await post(headers)).status).toBe(status);
    expect(rig.host.taken).toEqual([]);
  });

  it('is accepted if it is the console’s own page', async () => {
    const origin = `http://127.0.0.1:${rig.port}`;
    const answer = await post({ ...type, origin, 'sec-fetch-site': 'same-origin' });
    expect(answer.status).toBe(200);
    expect(rig.host.taken).toHaveLength(1);
  });

  it('may be another site’s link to the page, but not its request for messages (S13)', async () => {
    const visit = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await rawCall(rig, '/', { headers: visit })).status).toBe(503);
    const read = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
    expect((await rawCall(rig, '/console/rooms/general', { headers: read })).status).toBe(403);
  });
});

describe('the origin of a request behind a proxy', () => {
  const post = async (publicUrl: string, host: string, origin: string) => {
    const { host: name, origin: own } = new URL(publicUrl);
    rig = await openRig({ config: { allowedHosts: [name], publicOrigin: own } });
    const body = JSON.stringify({ as: 'engineer' });
    const headers = { 'content-type': 'application/json', host, origin };
    return (await rawCall(rig, '/console/unread', { method: 'POST', headers, body })).status;
  };

  it.each([
    ['https://chat.example', 'chat.example', 'https://chat.example', 200],
    ['https://chat.example:443', 'chat.example', 'https://chat.example', 200],
    ['https://chat.example', 'chat.example:443', 'https://chat.example', 200],
    ['https://chat.example', 'chat.example:80', 'https://chat.example', 200],
    ['https://chat.example', 'chat.example:3000', 'https://chat.example', 200],
    ['http://chat.example:80', 'chat.example:80', 'http://chat.example', 200],
    ['https://chat.example:8443', 'chat.example:8443', 'https://chat.example:8443', 200],
    ['https://Chat.Example', 'CHAT.example:443', 'https://chat.example', 200],
    ['https://chat.example', 'chat.example:443', 'https://chat.example:8443', 403],
    ['https://chat.example', 'chat.example:443', 'http://chat.example', 403],
    ['https://chat.example', 'chat.example', 'https://chat.example:80', 403],
    ['https://chat.example', 'chat.example:443', 'https://evil.example', 403],
    ['https://chat.example', 'chat.example', 'https://chat.example.', 403],
    ['https://chat.example', 'chat.example', 'chrome-extension://chat.example', 403],
    ['https://chat.example', 'chat.example', 'null', 403],
    ['https://chat.example', 'chat.example.', 'https://chat.example.', 403],
  ])('at %s with the host %s: %s gets %i (S13)', async (publicUrl, host, origin, status) => {
    expect(await post(publicUrl, host, origin)).toBe(status);
  });
});

describe('a console without sign-in', () => {
  it.each([
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-real-ip',
  ])('refuses requests that a proxy forwards, told by the header %s (S13)', async (name) => {
    rig = await openRig();
    for (const path of ['/console/state', '/console/events', '/console/rooms/general']) {
      const answer = await rawCall(rig, path, { headers: { [name]: '203.0.113.7' } });
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('no sign-in')]);
    }
  });
});

describe('a console with a token', () => {
  beforeEach(async () => {
    token = 'open sesame';
    rig = await openRig({ config: { token: { reveal: () => token } } });
  });

  it('refuses every route without its cookie (S13)', async () => {
    const paths = ['state', 'events', 'rooms/general', 'files/x', 'replies/x/receipt', 'nothing'];
    for (const path of paths) {
      const answer = await rig.call(`/console/${path}`);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.json()).toMatchObject({ error: { code: 'sign-in-needed' } });
    }
    expect((await rig.call('/console/rooms/general/messages', json('{'))).status).toBe(401);
    expect((await rig.call('/console/files?name=x', { method: 'POST', body: 'x' })).status).toBe(401);
    expect((await rig.call('/')).status).toBe(503);
  });

  it('exchanges the token for a cookie that does not contain it', async () => {
    const answer = await rig.call('/console/sign-in', json({ token: 'open sesame' }));
    expect(answer.status).toBe(204);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain('sesame');
    const headers = { cookie: `other=1; ${cookie.split(';')[0]}` };
    expect((await rig.call('/console/state', { headers })).status).toBe(200);
    const wrong = { cookie: 'parley_console=open sesame' };
    expect((await rig.call('/console/state', { headers: wrong })).status).toBe(401);
  });

  it('takes everyone with the token for one person', async () => {
    const answer = await rig.call('/console/sign-in', json({ token: 'open sesame' }));
    const headers = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
    const state = (await (await rig.call('/console/state', { headers })).json()) as ConsoleState;
    expect(state.people.map(({ id }) => id)).toEqual(['engineer']);
    expect(new Set(state.rooms.flatMap(({ person }) => person ?? []))).toEqual(new Set(['engineer']));
    const say = (as: string) => {
      const body = JSON.stringify({ as, text: 'hi', files: [], nonce: as });
      const type = { ...headers, 'content-type': 'application/json' };
      return rig.call('/console/rooms/general/messages', { method: 'POST', headers: type, body });
    };
    expect((await say('engineer')).status).toBe(200);
    expect((await say('manager')).status).toBe(403);
    expect((await rig.call('/console/rooms/direct~manager~knowledge', { headers })).status).toBe(403);
    expect(
      (await rig.call('/console/sign-out', { method: 'POST', headers })).headers.get('set-cookie'),
    ).toMatch(/^parley_console=; Path=\/console; Max-Age=0/);
  });

  it('rejects the old token and its cookies as soon as the token is rotated (S13)', async () => {
    const before = await rig.call('/console/sign-in', json({ token: 'open sesame' }));
    const headers = { cookie: before.headers.get('set-cookie')?.split(';')[0] ?? '' };
    token = 'another word';
    expect((await rig.call('/console/state', { headers })).status).toBe(401);
    expect((await rig.call('/console/sign-in', json({ token: 'another word' }))).status).toBe(204);
  });

  it('refuses a wrong token (S13)', async () => {
    const answer = await rig.call('/console/sign-in', json({ token: 'open' }));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('wrong tokens behind a proxy', () => {
  const guess = (from: string, word = 'wrong') =>
    rawCall(rig, '/console/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ token: word }),
    });
  const guessTenTimes = async (from: string) => {
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await guess(from)).status));
    expect(statuses).toEqual(Array(10).fill(401));
  };
  const open = async (trustedProxies?: readonly string[]) => {
    const own = { token: { reveal: () => 'right' }, ...(trustedProxies && { trustedProxies }) };
    rig = await openRig({ config: own });
  };

  it('that is trusted lock out only the address that sent them (S13)', async () => {
    await open(['127.0.0.0/8']);
    await guessTenTimes('203.0.113.7');
    expect((await guess('203.0.113.7', 'right')).status).toBe(429);
    // Only the last address counts, because the client can claim any other address. The proxy appends the address
    // that it saw.
    expect((await guess('198.51.100.1, 203.0.113.7', 'right')).status).toBe(429);
    expect((await guess('198.51.100.1', 'right')).status).toBe(204);
  });

  it.each([
    ['203.0.113.7:5555, 10.0.0.1:80', '203.0.113.8:5555, 10.0.0.1:80'],
    ['[2001:db8:1::7]:5555, [fd00::1]:443,10.0.0.1:80', '[2001:db8:2::7]:5555, [fd00::1]:443,10.0.0.1:80'],
  ])('in a chain of trusted proxies that add ports lock out only %s (S13)', async (locked, other) => {
    await open(['127.0.0.0/8', '10.0.0.0/8', 'fd00::/8']);
    await guessTenTimes(locked);
    expect((await guess(locked.replace('5555', '6666'), 'right')).status).toBe(429);
    expect((await guess(other, 'right')).status).toBe(204);
  });

  it('that is not trusted lock out the client, whatever address it claims (S13)', async () => {
    await open();
    await guessTenTimes('203.0.113.7');
    expect((await guess('198.51.100.1', 'right')).status).toBe(429);
  });
});

describe('the cookie', () => {
  it.each([
    [true, /; Secure$/],
    [false, /SameSite=Strict$/],
  ])('has Secure only if the public address is https (%j)', async (secureCookies, expected) => {
    rig = await openRig({ config: { token: { reveal: () => 'right' }, secureCookies } });
    const answer = await rig.call('/console/sign-in', json({ token: 'right' }));
    expect(answer.headers.get('set-cookie')).toMatch(expected);
  });
});

describe('the page', () => {
  beforeEach(async () => {
    rig = await openRig();
  });

  it('answers with the build command if it is not built', async () => {
    const answer = await rig.call('/');
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('npx vite build adapters/console/page');
  });

  it('is served with a strict policy, and with assets that browsers keep', async () => {
    const folder = join(rig.folder, 'page');
    await mkdir(join(folder, 'assets'), { recursive: true });
    await writeFile(join(folder, 'index.html'), '<!doctype html>');
    await writeFile(join(folder, 'assets', 'app-1a2b.js'), 'run()');
    await writeFile(join(folder, '.secret'), 'no');
    const page = await rig.call('/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const asset = await rig.call('/assets/app-1a2b.js');
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    for (const path of ['/.secret', '/nothing', '/..%2fconsole.sqlite', '/assets']) {
      expect([path, (await rig.call(path)).status]).toEqual([path, 404]);
    }
  });
});
