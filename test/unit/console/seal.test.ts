/** Tests that a sealed value is opened only with its key, for its purpose and in its time, and never with another content. */

import { expect, it } from 'vitest';
import { createSeal } from '../../../adapters/console/identity/seal.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
const NOW = Date.UTC(2026, 4, 4);
const UNTIL = NOW + 600_000;
const seal = createSeal(new Uint8Array(32).fill(7));
const sealed = await seal.seal({ state: 'abc' }, 'sign-in', UNTIL);

it('opens what it sealed, until its time is over', async () => {
  expect(await seal.open(sealed, 'sign-in', UNTIL - 1_000)).toMatchObject({ state: 'abc' });
  expect(await seal.open(sealed, 'sign-in', UNTIL)).toBeUndefined();
});

it('shows nothing of the content', () => {
  const parts = sealed.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
  expect(parts.join()).not.toMatch(/abc|state|sign-in/);
});

it.each([
  ['another purpose', () => seal.open(sealed, 'connect', NOW)],
  ['another key', () => createSeal(new Uint8Array(32).fill(8)).open(sealed, 'sign-in', NOW)],
  ['an empty text', () => seal.open('', 'sign-in', NOW)],
  ['a text without encryption', () => seal.open(unsecured({ alg: 'none' }), 'sign-in', NOW)],
  [
    'a key from a password, which takes long to derive',
    () => seal.open(unsecured({ alg: 'PBES2-HS256+A128KW', enc: 'A256GCM', p2c: 1e9 }), 'sign-in', NOW),
  ],
])('opens nothing for %s', async (_what, opened) => {
  expect(await opened()).toBeUndefined();
});

it('opens no text that differs in one character, at any position, as another content', async () => {
  const content = await seal.open(sealed, 'sign-in', NOW);
  for (let at = 0; at < sealed.length; at += 1) {
    const others = [...ALPHABET].filter((char, nth) => char !== sealed[at] && nth % 8 === at % 8);
    for (const char of others) {
      const opened = await seal.open(sealed.slice(0, at) + char + sealed.slice(at + 1), 'sign-in', NOW);
      expect([undefined, content]).toContainEqual(opened);
    }
  }
});

/** Returns a token with this header, and without a valid content. */
function unsecured(header: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part(header), 'AAAA', 'AAAAAAAAAAAAAAAA', part({ state: 'abc' }), 'AAAAAAAAAAAAAAAAAAAAAA'].join(
    '.',
  );
}
