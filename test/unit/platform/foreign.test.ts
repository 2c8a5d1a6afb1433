/**
 * Tests the private networks that an address in an answer must not reach, in every notation, and the name look-up that
 * refuses them (attack S06).
 */

import type { LookupAddress } from 'node:dns';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { guardedLookup, isClosedAddress, isOpenHost } from '../../../src/platform/foreign.ts';

let answer: { readonly error: Error | null; readonly addresses?: readonly LookupAddress[] };
let asked: unknown[];
vi.mock('node:dns', async (original) => ({
  ...(await original<object>()),
  lookup: (hostname: string, options: object, done: (error: Error | null, found?: unknown) => void) => {
    asked.push([hostname, options]);
    done(answer.error, answer.addresses);
  },
}));
beforeEach(() => {
  asked = [];
});

describe('an address', () => {
  test.each([
    ['0.255.255.255', '1.0.0.0'],
    ['10.255.255.255', '11.0.0.0'],
    ['100.64.0.0', '100.63.255.255'],
    ['100.127.255.255', '100.128.0.0'],
    ['127.0.0.1', '126.255.255.255'],
    ['169.254.169.254', '169.253.255.255'],
    ['172.16.0.1', '172.15.255.255'],
    ['172.31.255.255', '172.32.0.0'],
    ['192.0.0.255', '192.0.1.0'],
    ['192.0.2.1', '192.0.3.0'],
    ['192.168.0.1', '192.167.255.255'],
    ['198.19.255.255', '198.20.0.0'],
    ['198.51.100.1', '198.51.101.0'],
    ['203.0.113.1', '203.0.114.0'],
    ['224.0.0.0', '223.255.255.255'],
    ['255.255.255.255', '93.184.216.34'],
    ['::', '2606:4700::1111'],
    ['::1', '2600::'],
    ['::ffff:93.184.216.34', '2a00::1'],
    ['64:ff9b::1', '64:ff9c::1'],
    ['64:ff9b:1::1', '64:ff9b:2::1'],
    ['100::1', '101::1'],
    ['2001:1ff:ffff::1', '2001:200::1'],
    ['2001:db8::1', '2001:db9::1'],
    ['2002::1', '2003::1'],
    ['fdff::1', 'fbff::1'],
    ['fe80::1', 'fe00::1'],
    ['fec0::1', 'fe7f::1'],
    ['ff02::1', '2400::1'],
  ])('%s is closed, %s is open (S06)', (closed, open) => {
    expect(isClosedAddress(closed)).toBe(true);
    expect(isClosedAddress(open)).toBe(false);
  });

  test.each([
    '',
    'h.example',
    '1.2.3',
    '[2606:4700::1111]',
  ])('%j is not an address and therefore closed (S06)', (text) => {
    expect(isClosedAddress(text)).toBe(true);
  });
});

test.each([
  ['h.example', true],
  ['93.184.216.34', true],
  ['[2606:4700::1111]', true],
  ['localhost.example', true],
  ['xlocalhost', true],
  ['internal.example', true],
  ['localhost', false],
  ['LOCALHOST.', false],
  ['a.localhost', false],
  ['printer.local', false],
  ['metadata.google.internal', false],
  ['internal.', false],
  ['127.0.0.1', false],
  ['[::1]', false],
  ['[::ffff:127.0.0.1]', false],
])('the host %s may be connected to, judged by its text: %s (S06)', (host, open) => {
  expect(isOpenHost(host)).toBe(open);
});

describe('a look-up', () => {
  const OPEN: LookupAddress = { address: '93.184.216.34', family: 4 };
  const OPEN6: LookupAddress = { address: '2606:4700::1111', family: 6 };
  const lookUp = (options = {}) => {
    const told: unknown[] = [];
    guardedLookup('h.example', options, (...given) => void told.push(...given));
    return told;
  };

  test('returns the first of several open addresses, or all of them', () => {
    answer = { error: null, addresses: [OPEN6, OPEN] };
    expect(lookUp({ family: 0 })).toEqual([null, OPEN6.address, 6]);
    expect(lookUp({ all: false })).toEqual([null, OPEN6.address, 6]);
    expect(lookUp({ all: true })).toEqual([null, [OPEN6, OPEN]]);
    expect(asked).toEqual([
      ['h.example', { family: 0, all: true }],
      ['h.example', { all: true }],
      ['h.example', { all: true }],
    ]);
  });

  test('passes on the error of the system', () => {
    const error = new Error('ENOTFOUND');
    answer = { error };
    expect(lookUp()).toEqual([error, '', 4]);
  });
});
