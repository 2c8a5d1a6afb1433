/** Tests that a cookie's sealed value is opened only in the exact form in which it was made. */

import { expect, it } from 'vitest';
import { createSeal } from '../../../adapters/console/identity/seal.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const seal = createSeal(new Uint8Array(32).fill(7));

it.each([
  '',
  'a',
  'ab',
])('opens no text that differs in one character, at any position (value “%s”)', (value) => {
  const sealed = seal.seal(value);
  expect(seal.open(sealed)).toBe(value);
  for (let at = 0; at < sealed.length; at += 1) {
    const others = [...ALPHABET].filter((char) => char !== sealed[at]);
    const opened = others.filter(
      (char) => seal.open(sealed.slice(0, at) + char + sealed.slice(at + 1)) !== undefined,
    );
    expect([at, opened]).toEqual([at, []]);
  }
});

it.each([
  ['characters that base64 does not know', (sealed: string) => `${sealed}!`],
  ['a space between', (sealed: string) => `${sealed.slice(0, 9)} ${sealed.slice(9)}`],
  ['padding', (sealed: string) => `${sealed}==`],
  [
    'the alphabet of base64 with + and /',
    (sealed: string) => sealed.replaceAll('-', '+').replaceAll('_', '/'),
  ],
])('opens no text with %s', (_what, change) => {
  const sealed = Array.from({ length: 1_000 }, (_, nth) => seal.seal(nth)).filter((text) =>
    /-.*_|_.*-/.test(text),
  );
  expect(sealed).not.toEqual([]);
  for (const text of sealed) expect(seal.open(change(text))).toBeUndefined();
});
