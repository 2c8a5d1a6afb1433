/** Tests that logs and quoted texts of the platform hide credentials, but keep the words of an error. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASK, maskCredentials } from '../../src/secret.ts';

const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);

test.each([
  'Slack refused the token: account_inactive',
  'Slack refused the token: invalid_auth; the next attempt is in 2 s',
  'the refresh token: token_expired.',
  'token: invalid',
  'token: Invalid, and nothing else',
  'secret: missing (see docs/errors.md)',
  'client_secret: bad_client_secret',
  'Bad token: it has expired',
  'xoxb- begins a token of a bot',
])('%s stays', (sentence) => {
  expect(maskCredentials(sentence)).toBe(sentence);
});

test.each([
  ['token=invalid', `token=${MASK}`],
  ['token: invalid-4711', `token: ${MASK}`],
  ['token: not.really', `token: ${MASK}`],
  ['token: "missing"', `token: "${MASK}"`],
  ['password: hunter', `password: ${MASK}`],
  ['token: expired eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln', `token: expired ${MASK}`],
])('%s is hidden', (given, shown) => {
  expect(maskCredentials(given)).toBe(shown);
});

describe(`random secrets (PARLEY_SEED=${seed})`, () => {
  const secret = fc.string({ unit: fc.constantFrom(...'abzAZ059_-'), minLength: 12, maxLength: 60 });
  const inside = fc.tuple(
    fc.constantFrom('', 'the ', '"', '(', 'a=b&'),
    fc.constantFrom('', ' x', '"', ', y', '; z'),
  );

  test.each<[string, (secret: string) => string]>([
    ['a name and a colon', (word) => `token: ${word}`],
    ['a name and an equals sign', (word) => `client_secret=${word}`],
    ['a quoted name', (word) => `"apiKey": "${word}"`],
    ['a scheme', (word) => `Bearer ${word}`],
    ['a header', (word) => `Authorization: Bearer ${word}`],
    ['no name, for a bot token', (word) => `xoxb-${word}`],
    ['no name, for a token of a person', (word) => `xoxp-${word}`],
    ['no name, for an app-level token', (word) => `xapp-1-${word}`],
    ['no name, for a token that expires', (word) => `xoxe.xoxb-1-${word}`],
    ['no name, for a refresh token', (word) => `xoxe-1-${word}`],
  ])('are hidden after %s', (_, written) => {
    fc.assert(
      fc.property(secret, inside, (word, [before, after]) => {
        expect(maskCredentials(`${before}${written(word)}${after}`)).not.toContain(word);
      }),
      { seed },
    );
  });

  test('are hidden in a time that grows with the length only', () => {
    for (const part of ['token', 'token: ', 'token :', 'xoxb-', 'bearer ', 'secret: not '])
      expect(maskCredentials(part.repeat(50_000)).length).toBeGreaterThan(0);
  });
});
