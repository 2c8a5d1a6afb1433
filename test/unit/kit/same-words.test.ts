/** Tests how texts are compared by their words. */

import { expect, test } from 'vitest';
import { containsWords, saysTheSame } from '../../../src/kit/same-words.ts';

test.each([
  ['one two', 'two, ONE!', true],
  ['one', 'one two', false],
  ['un**believ**able', 'unbelievable', true],
  ['| Total | 61 |', 'Total61', true],
  ['look', 'ok', false],
  ['a👍', '👍', true],
  ['a', '👍', false],
  ['', '?!', true],
])('%j contains the words of %j: %s', (whole, part, does) => {
  expect(containsWords(whole, part)).toBe(does);
});

test.each([
  ['Three *months*', 'three months', true],
  ['Three months is the limit…', 'Three months is the limit for visitors', true],
  ['ok', 'ok then', false],
])('%j says the same as %j: %s', (one, other, does) => {
  expect([saysTheSame(one, other), saysTheSame(other, one)]).toEqual([does, does]);
});
