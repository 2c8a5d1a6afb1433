/**
 * Tests that credentials in the platform's texts are masked (ERR-8), and that error messages quote texts on one line.
 */

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { oneLine, redact } from '../../../src/platform/redact.ts';
import { MASK, Secret } from '../../../src/secret.ts';

describe('text that looks like a credential is masked', () => {
  test.each([
    ['apikey=abc', `apikey=${MASK}`],
    ['api-key: abc', `api-key: ${MASK}`],
    ['api_key : abc', `api_key : ${MASK}`],
    ['API KEY=abc', `API KEY=${MASK}`],
    ['authorization: Bearer abc', `authorization: Bearer ${MASK}`],
    ['Authorization: OpenAPI  abc', `Authorization: OpenAPI  ${MASK}`],
    ['authorization: basic abc', `authorization: basic ${MASK}`],
    ['authorization: abc', `authorization: ${MASK}`],
    ['token=abc', `token=${MASK}`],
    ['access_token=abc&x=1', `access_token=${MASK}&x=1`],
    ['accessToken=abc', `accessToken=${MASK}`],
    ['refresh_token=abc', `refresh_token=${MASK}`],
    ['refreshtoken=abc', `refreshtoken=${MASK}`],
    ['client_secret=abc;x', `client_secret=${MASK};x`],
    ['clientsecret=abc', `clientsecret=${MASK}`],
    ['secret=abc', `secret=${MASK}`],
    ['signature=abc,x', `signature=${MASK},x`],
    ['{"password": "abc"}', `{"password": "${MASK}"}`],
    ["{'password':'abc'}", `{'password':'${MASK}'}`],
    ['password = abc d', `password = ${MASK} d`],
    ['token=a token=b', `token=${MASK} token=${MASK}`],
    ['sent Bearer abcdefgh', `sent Bearer ${MASK}`],
    ['sent openapi  aB0._~+/=-', `sent openapi  ${MASK}`],
    ['Bearer abcdefgh, OpenAPI ijklmnop', `Bearer ${MASK}, OpenAPI ${MASK}`],
  ])('%s', (text, masked) => {
    expect(redact(text)).toBe(masked);
  });

  test.each([
    'the token is unknown',
    'a password',
    'bearer of news',
    'Bearer abcdefg',
    'forbearer abcdefgh',
    'keys: abc',
  ])('other text is unchanged: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

test('the secrets of the call are masked everywhere, except those too short to be secrets', () => {
  expect(redact('a wxyz and wxyz, k-123456', ['wxyz', 'k-123456'])).toBe(`a ${MASK} and ${MASK}, ${MASK}`);
  expect(redact('an abc is no secret', ['abc', ''])).toBe('an abc is no secret');
  expect(redact('nothing', [])).toBe('nothing');
});

test('prints a secret as stars in every way of printing', () => {
  const secret = new Secret('hunter2-hunter2');
  expect(
    [
      `${secret}`,
      String(secret),
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9 }),
      inspect(secret, { showHidden: true }),
    ].join(),
  ).not.toContain('hunter2');
});

describe('one line', () => {
  test('has no control characters, no direction marks and no gaps', () => {
    expect(oneLine('a\n\r\n b\u2028c\u2029d\u202ee\u0000f', 50)).toBe('a b c d e f');
    expect(oneLine('  a    b  c ', 50)).toBe('a b c');
    expect(oneLine('a\ud800b', 50)).toBe('a\uFFFDb');
  });

  test('has at most the given number of characters and splits none', () => {
    expect(oneLine('abcde', 5)).toBe('abcde');
    expect(oneLine('abcdef', 5)).toBe('abcd…');
    expect(oneLine('abc😀ef', 5)).toBe('abc\uFFFD…');
  });

  test('is made from at most four times the given number of characters', () => {
    expect(oneLine(`${' '.repeat(19)}ab`, 5)).toBe('a');
    expect(oneLine(`${' '.repeat(20)}ab`, 5)).toBe('');
  });
});
