import { expect, it } from 'vitest';
import { shortened } from '../../../../src/kit/emission.ts';

const FAMILY = '👨‍👩‍👧‍👦';

it.each([
  ['short', 10, 'short'],
  ['one two three', 10, 'one two…'],
  ['one two three', 8, 'one two…'],
  ['unbelievable', 8, 'unbelie…'],
  [`ab ${FAMILY}${FAMILY}`, 20, `ab ${FAMILY}…`],
  ['e\u0301e\u0301e\u0301e\u0301', 6, 'e\u0301e\u0301…'],
  ['🇩🇪🇫🇷🇮🇹', 7, '🇩🇪…'],
  ['東京都は日本の首都です', 6, /^東京都?は?日?…$/],
  ['x'.repeat(200), 50, `${'x'.repeat(49)}…`],
  [`a${'\u0301'.repeat(200)}`, 10, /^a\u0301+…$/],
  ['😀😀', 2, /^.?…$/u],
])('%s to %i units', (text, limit, expected) => {
  const found = shortened(text, limit);
  if (typeof expected === 'string') expect(found).toBe(expected);
  else expect(found).toMatch(expected);
  expect(found.length).toBeLessThanOrEqual(limit);
  expect(found.isWellFormed()).toBe(true);
});
