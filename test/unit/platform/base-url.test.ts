/** Tests the platform's base address, and addresses that the platform sends (GEN-1: a base address keeps its path). */

import { describe, expect, test } from 'vitest';
import { isLoopback, joinPath, parseBase, resolveAddress } from '../../../src/platform/base-url.ts';

describe('a base address', () => {
  test.each([
    ['https://h.example', { origin: 'https://h.example', address: 'https://h.example' }],
    ['https://h.example/', { origin: 'https://h.example', address: 'https://h.example' }],
    [
      'https://h.example:8443/app//',
      { origin: 'https://h.example:8443', address: 'https://h.example:8443/app' },
    ],
    ['https://h.example/a/b/', { origin: 'https://h.example', address: 'https://h.example/a/b' }],
    ['https://h.example//a', { origin: 'https://h.example', address: 'https://h.example//a' }],
    ['http://localhost:80/x', { origin: 'http://localhost', address: 'http://localhost/x' }],
    ['http://127.0.0.1:8080', { origin: 'http://127.0.0.1:8080', address: 'http://127.0.0.1:8080' }],
    ['http://[::1]:8080', { origin: 'http://[::1]:8080', address: 'http://[::1]:8080' }],
  ])('accepts %s', (address, base) => {
    expect(parseBase(address, false)).toEqual(base);
  });

  test.each([
    ['h.example', 'must be an http or https address'],
    ['', 'must be an http or https address'],
    ['ftp://h.example', 'must be an http or https address'],
    ['xhttps://h.example', 'must be an http or https address'],
    ['httpss://h.example', 'must be an http or https address'],
    ['https://a@h.example', 'must not hold credentials'],
    ['https://:b@h.example', 'must not hold credentials'],
    ['https://h.example?x=1', 'must have neither query nor fragment'],
    ['https://h.example/?', 'must have neither query nor fragment'],
    ['https://h.example#x', 'must have neither query nor fragment'],
    ['https://h.example/#', 'must have neither query nor fragment'],
    [
      'http://h.example',
      'uses http to reach another machine, so credentials would be sent unencrypted; use https',
    ],
    [
      'http://10.0.0.1',
      'uses http to reach another machine, so credentials would be sent unencrypted; use https',
    ],
  ])('refuses %s: %s', (address, fault) => {
    expect(() => parseBase(address, false)).toThrow(
      expect.objectContaining({
        code: 'config-invalid',
        message: `The platform's base address ${fault}.`,
        facts: { setting: 'platform.baseUrl' },
      }),
    );
  });

  test('may use http to another machine if the operator allows it', () => {
    expect(parseBase('http://h.example/app', true).address).toBe('http://h.example/app');
  });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.255.0.13', true],
  ['[::1]', true],
  ['localhost.example', false],
  ['127.example', false],
  ['127.0.0.1.example', false],
  ['x127.0.0.1', false],
  ['128.0.0.1', false],
  ['[::2]', false],
])('the host %s is this machine: %s', (host, here) => {
  expect(isLoopback(host)).toBe(here);
});

const base = parseBase('https://h.example/app', false);

test('a path is joined with exactly one slash', () => {
  expect(joinPath(base, '/v1/x')).toBe('https://h.example/app/v1/x');
  expect(joinPath(base, 'v1//x/')).toBe('https://h.example/app/v1//x/');
  expect(joinPath(base, '//v1')).toBe('https://h.example/app/v1');
});

test.each([
  ['/v1/x', 'https://h.example/app/v1/x'],
  ['/app/v1/x', 'https://h.example/app/v1/x'],
  ['/apple', 'https://h.example/app/apple'],
  ['v1/x', 'https://h.example/app/v1/x'],
  ['//cdn.example/x', 'https://cdn.example/x'],
  ['https://cdn.example/x', 'https://cdn.example/x'],
  ['http://cdn.example/x', 'http://cdn.example/x'],
  ['javascript:alert(1)', undefined],
  ['data:image/png;base64,xx', undefined],
  ['xhttp://cdn.example/x', undefined],
  ['https://', undefined],
])('%s, sent by the platform, resolves to %s', (written, address) => {
  expect(resolveAddress(base, written)?.href).toBe(address);
});
