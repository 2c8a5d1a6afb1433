/** Tests what one person can hold of the console: event streams, and downloads that are not read (attack S28). */

import fs from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FileView } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider } from '../../fakes/oidc/provider.ts';
import { waitFor } from '../../fakes/wait-for.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { openRig, type Rig } from './rig.ts';

const MIB = 1024 * 1024;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0).reverse()) await close();
});

/** Sends a request and reads only the beginning of the response. */
async function unread({ port }: Rig, path: string, headers: Record<string, string> = {}) {
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map((line) => line.join(': '));
  const socket: Socket = connect(port, '127.0.0.1');
  closing.push(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const head = await new Promise<string>((resolve) =>
    socket.once('data', (data) => {
      socket.pause();
      resolve(data.toString('latin1'));
    }),
  );
  return { socket, status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]) };
}

describe('downloads', () => {
  const open = async (bytes: Buffer) => {
    const rig = await openRig();
    closing.push(() => rig.close());
    const sent = await rig.call('/console/files?name=a.bin&as=engineer', { method: 'POST', body: bytes });
    const { id } = (await sent.json()) as FileView;
    return { rig, path: `/console/files/${id}` };
  };

  it('that nobody reads are not read from disk either (S28)', async () => {
    const { rig, path } = await open(Buffer.alloc(10 * MIB));
    const opened = vi.spyOn(fs, 'createReadStream');
    const whole = vi.spyOn(fs.promises, 'readFile');
    const downloads = await Promise.all(Array.from({ length: 20 }, () => unread(rig, path)));
    expect(downloads.map(({ status }) => status)).toEqual(downloads.map(() => 200));
    const streams = opened.mock.results.map(({ value }) => value as fs.ReadStream);
    expect(streams).toHaveLength(20);
    let before = -1;
    await waitFor(() => {
      const read = streams.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
      const isStill = read === before;
      before = read;
      expect(isStill).toBe(true);
    });
    expect(before / 20).toBeLessThan(9 * MIB);
    expect(whole).not.toHaveBeenCalled();
    for (const { socket } of downloads) socket.destroy();
    await waitFor(() => expect(streams.every(({ closed }) => closed)).toBe(true));
  });

  it('are whole, and can continue in the middle', async () => {
    const { rig, path } = await open(Buffer.from('0123456789'));
    const whole = await rig.call(path);
    expect([whole.status, whole.headers.get('content-length'), await whole.text()]).toEqual([
      200,
      '10',
      '0123456789',
    ]);
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    expect(whole.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const rest = await rig.call(path, { headers: { range: 'bytes=7-' } });
    expect([rest.status, await rest.text()]).toEqual([206, '789']);
    expect((await rig.call(path, { method: 'HEAD' })).headers.get('content-length')).toBe('10');
  });
});

describe('event streams', () => {
  it('of one person are limited, and others get theirs (S28)', async () => {
    const port = await freePort();
    const provider = await openProvider(`http://127.0.0.1:${port}`);
    closing.push(() => provider.close());
    const rig = await openSignInRig(signInConfig(provider.issuer, port));
    closing.push(() => rig.close());
    const cookieOf = async (account: string) => {
      provider.account = account;
      const browser = await signIn(rig, new Browser());
      return { cookie: browser.cookies(new URL(base(rig)).host) };
    };
    const [ada, ben] = [await cookieOf('ada'), await cookieOf('ben')];
    const streams = [];
    for (let nth = 0; nth < 22; nth += 1) streams.push(await unread(rig, '/console/events', ada));
    expect(streams.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429, 429]);
    expect((await unread(rig, '/console/events', ben)).status).toBe(200);
    streams[0]?.socket.destroy();
    await waitFor(async () => expect((await unread(rig, '/console/events', ada)).status).toBe(200));
  });

  it('of people whom the console cannot tell apart are not limited for each person', async () => {
    const rig = await openRig({ config: { token: { reveal: () => 'right' } } });
    closing.push(() => rig.close());
    const signed = await rig.call('/console/sign-in', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 'right' }),
    });
    const cookie = (signed.headers.get('set-cookie') ?? '').replace(/;.*/, '');
    for (let nth = 0; nth < 40; nth += 1)
      expect((await unread(rig, '/console/events', { cookie })).status).toBe(200);
  });
});

it('strangers can send only short bodies to the sign-in (S27)', async () => {
  const rig = await openRig({ config: { token: { reveal: () => 'right' } } });
  closing.push(() => rig.close());
  const body = JSON.stringify({ token: 'x'.repeat(20_000) });
  const headers = { 'content-type': 'application/json' };
  expect((await rig.call('/console/sign-in', { method: 'POST', headers, body })).status).toBe(413);
});
