/** Tests the address and the headers of requests for media, as the transport receives them before it connects. */

import { describe, expect, it } from 'vitest';
import { addressOf, fetchMedia } from '../../../src/platform/media/fetch.ts';
import type { WireRequest } from '../../../src/platform/transport.ts';
import type { Wiring } from '../../../src/platform/wiring.ts';
import { answerOf, wiringOf } from './wiring.ts';

const signal = new AbortController().signal;

/** Redirects each address to the next one in `hops`; the last address returns the bytes. */
const wiringWith = (hops: Readonly<Record<string, string>>, sent: WireRequest[], paths = {}): Wiring =>
  wiringOf(
    async (request) => {
      sent.push(request);
      const location = hops[request.url];
      return location === undefined ? answerOf('') : answerOf('', { status: 302, headers: { location } });
    },
    { paths },
  );

const headers = { authorization: 'Bearer t' };
async function walk(
  start: string,
  hops: Readonly<Record<string, string>> = {},
): Promise<readonly (readonly unknown[])[]> {
  const sent: WireRequest[] = [];
  const fetched = fetchMedia(wiringWith(hops, sent), { url: new URL(start), headers, signal });
  await fetched.catch(() => sent.push({ url: 'refused', headers: {} } as WireRequest));
  return sent.map((request) => [request.url, request.headers.authorization, request.guarded]);
}

describe('a request for a medium', () => {
  it('carries the token to the own origin', async () => {
    expect(await walk('https://platform.example/x')).toEqual([
      ['https://platform.example/x', 'Bearer t', undefined],
    ]);
  });

  it('carries no token to other origins, is guarded there, and gets none back after a detour', async () => {
    const hops = {
      'https://platform.example/x': 'https://cdn.example/y',
      'https://cdn.example/y': 'https://platform.example/z',
    };
    expect(await walk('https://platform.example/x', hops)).toEqual([
      ['https://platform.example/x', 'Bearer t', undefined],
      ['https://cdn.example/y', undefined, true],
      ['https://platform.example/z', undefined, undefined],
    ]);
  });

  it.each([
    'http://cdn.example/y',
    'http://platform.example/y',
    'https://10.0.0.1/y',
    'https://localhost/y',
    'https://platform.example:8443@10.0.0.1/',
    'file:///etc/passwd',
    'javascript:1',
  ])('is never sent to %s', async (location) => {
    expect(await walk('https://platform.example/x', { 'https://platform.example/x': location })).toEqual([
      ['https://platform.example/x', 'Bearer t', undefined],
      ['refused', undefined, undefined],
    ]);
  });

  it('follows at most three redirects (S07)', async () => {
    const hops = {
      'https://platform.example/0': '/1',
      'https://platform.example/1': '/2',
      'https://platform.example/2': '/3',
      'https://platform.example/3': '/4',
    };
    expect((await walk('https://platform.example/0', hops)).map(([url]) => url)).toEqual([
      'https://platform.example/0',
      'https://platform.example/1',
      'https://platform.example/2',
      'https://platform.example/3',
      'refused',
    ]);
    expect(
      (
        await walk('https://platform.example/1', {
          ...hops,
          'https://platform.example/3': 'https://platform.example/1',
        })
      ).at(-1)?.[0],
    ).toBe('refused');
  });
});

describe('a temporary link', () => {
  const wiring = wiringWith({}, [], { temporaryFile: '/files/{signed_file_identifier}' });
  const plain = wiringWith({}, []);
  it.each([
    [
      'https://public.example/webapi/knowledge/v1/file/ekb-temporary-file/a%2Fb?sig=1',
      'https://platform.example/app/webapi/knowledge/v1/file/ekb-temporary-file/a%2Fb?sig=1',
    ],
    [
      '/webapi/knowledge/v1/file/ekb-temporary-file/x',
      'https://platform.example/app/webapi/knowledge/v1/file/ekb-temporary-file/x',
    ],
    ['https://cdn.example/x', 'https://cdn.example/x'],
    ['/other/x', 'https://platform.example/app/other/x'],
  ])('%s leads to %s', (link, address) => expect(addressOf(plain, link).href).toBe(address));
  it('follows an overridden path', () =>
    expect(addressOf(wiring, '/webapi/knowledge/v1/file/ekb-temporary-file/x').href).toBe(
      'https://platform.example/app/files/x',
    ));
  it.each(['file:///etc/passwd', '\\\\share\\x', 'javascript:1'])('%s is refused (S08)', (link) => {
    const open = (): string => addressOf(plain, link).origin;
    if (link.startsWith('\\')) expect(['https://share', 'https://platform.example']).toContain(open());
    else expect(open).toThrow();
  });
});
