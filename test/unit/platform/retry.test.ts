/**
 * Tests retries of failed calls: which errors allow them, their delays and their number (GEN-18: timeouts and retries;
 * fault F15: HTTP 429).
 */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { BridgeError, type ErrorCode } from '../../../src/errors.ts';
import {
  BUSY_WINDOW_MS,
  delayBefore,
  parseRetryAfter,
  RETRY,
  type Tried,
} from '../../../src/platform/retry.ts';

const failure = (code: ErrorCode, facts = {}, retryAfterMs?: number) =>
  new BridgeError(code, 'It failed.', { facts, ...(retryAfterMs !== undefined && { retryAfterMs }) });
const unreachable = failure('platform-unreachable');

const first: Tried = { rule: RETRY.read, tries: 1, elapsedMs: 0, random: () => 0.5 };
const delay = (error: unknown, tried: Partial<Tried> = {}) => delayBefore(error, { ...first, ...tried });

describe('errors', () => {
  test.each([
    ['no connection', unreachable],
    ['a busy platform', failure('platform-busy')],
    ['a connection that broke before its first byte', failure('platform-interrupted', { bytes: 0 })],
    ['500', failure('platform-server', { httpStatus: 500 })],
    ['502', failure('platform-server', { httpStatus: 502 })],
    ['503', failure('platform-server', { httpStatus: 503 })],
    ['504', failure('platform-server', { httpStatus: 504 })],
  ])('an error that may pass is retried: %s', (_, error) => {
    expect(delay(error)).toBe(400);
  });

  test.each([
    ['a connection that broke during an answer', failure('platform-interrupted', { bytes: 1 })],
    ['a broken connection with an unknown number of bytes', failure('platform-interrupted')],
    ['501', failure('platform-server', { httpStatus: 501 })],
    ['a server error without a status', failure('platform-server')],
    ['a refused parameter', failure('platform-parameter', { httpStatus: 503, bytes: 0 })],
    ['a late answer', failure('platform-timeout')],
    ['an error of another kind', new Error('reset')],
    ['a missing error', undefined],
  ])('another error is not retried: %s', (_, error) => {
    expect(delay(error)).toBeUndefined();
  });
});

describe('attempts', () => {
  test('are limited to three for reads and questions, and to one for other calls', () => {
    const more = (rule: Tried['rule'], tries: number) => delay(unreachable, { rule, tries }) !== undefined;
    for (const rule of [RETRY.read, RETRY.chat])
      expect([1, 2, 3, 4].map((tries) => more(rule, tries))).toEqual([true, true, false, false]);
    expect(more(RETRY.never, 1)).toBe(false);
  });

  test('have delays that double, with a random factor of 0.5 to 1.5', () => {
    expect(delay(unreachable, { random: () => 0 })).toBe(200);
    expect(delay(unreachable, { random: () => 0.999_9 })).toBe(600);
    expect(delay(unreachable, { tries: 2 })).toBe(800);
    expect(delay(unreachable, { rule: { tries: 9, windowMs: 20_000 }, tries: 4 })).toBe(3_200);
  });

  test('start within 20 s', () => {
    expect(delay(unreachable, { elapsedMs: 19_600 })).toBe(400);
    expect(delay(unreachable, { elapsedMs: 19_601 })).toBeUndefined();
  });
});

test('the pages state the same tries and times as the code', () => {
  const rowOf = (page: string, code: string) =>
    readFileSync(new URL(`../../../docs/reference/${page}`, import.meta.url), 'utf8')
      .split('\n')
      .find((line) => line.startsWith(`| ${code} |`));
  const { tries, windowMs } = RETRY.chat;
  const [within, busy] = [windowMs, BUSY_WINDOW_MS].map((ms) => `${ms / 1_000} s`);
  expect(rowOf('platform-contract.md', 'GEN-18')).toMatch(
    new RegExp(
      `up to ${tries} tries\\. .*within ${within} of the first \\(fault F01\\).*within ${busy} of the first \\(fault F15\\)`,
    ),
  );
  for (const fault of ['F01', 'F02'])
    expect(rowOf('reliability.md', fault)).toContain(`up to ${tries} tries in ${within} |`);
  expect(rowOf('reliability.md', 'F15')).toContain(`up to ${tries} tries in ${busy} |`);
});

describe('a delay that the platform requests', () => {
  const busy = (ms: number) => failure('platform-busy', {}, ms);
  test('is used if it is longer than the default one', () => {
    expect(delay(busy(399))).toBe(400);
    expect(delay(busy(401))).toBe(401);
  });

  test('a requested delay of more than 30 s ends the attempts', () => {
    expect(delay(busy(30_000))).toBe(30_000);
    expect(delay(busy(30_001))).toBeUndefined();
    expect(delay(failure('platform-server', { httpStatus: 503 }, 30_000))).toBeUndefined();
  });

  test('may apply to each of three attempts if the platform is busy', () => {
    expect(delay(busy(30_000), { tries: 2, elapsedMs: 60_000 })).toBe(30_000);
    expect(delay(busy(30_000), { tries: 2, elapsedMs: 60_001 })).toBeUndefined();
  });

  test('a requested delay allows no retry for a rule without a window', () => {
    expect(delay(busy(1_000), { rule: { tries: 3, windowMs: 0 } })).toBeUndefined();
  });
});

test.each([
  ['0', 0],
  ['7', 7_000],
  [' 120 ', 120_000],
  ['999999999', 999_999_999_000],
  ['1000000000', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['7s', undefined],
  ['x7', undefined],
  ['', undefined],
  [undefined, undefined],
  ['Sun, 01 Nov 2026 00:00:30 GMT', 30_000],
  ['Sun Nov 01 2026 00:00:30 GMT', 30_000],
  ['Sat, 31 Oct 2026 23:59:59 GMT', 0],
  ['Sun, 99 Nov 2026 00:00:30 GMT', undefined],
  ['2026-11-01T00:00:30Z', undefined],
  ['x Sun, 01 Nov 2026 00:00:30 GMT', undefined],
  ['soon', undefined],
])('Retry-After: %j requests %s ms', (value, ms) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 10, 1))).toBe(ms);
});
