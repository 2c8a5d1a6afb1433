/**
 * Tests how an opening bracket finds its link in the same line: the brackets in the label, and how far the search goes.
 */

import { describe, expect, test } from 'vitest';
import { LookAhead } from '../../../../src/reply/markdown/look-ahead.ts';

const link = (label: string, destination: string, end: number) => ({ label, destination, end });
const at = (text: string, bracket: number, ended = true, opener = bracket) =>
  new LookAhead(text, ended).link(bracket, opener);

describe('a bracket opens a link', () => {
  test.each([
    ['[a](b)', 0, link('a', 'b', 6)],
    ['[a](b) [c](d)', 7, link('c', 'd', 13)],
    ['[](b)', 0, link('', 'b', 5)],
    ['[a [b] c](d)', 0, link('a [b] c', 'd', 12)],
    ['[a [b](c) d](e)', 3, link('b', 'c', 9)],
    ['[a ![b](c) d](e)', 0, link('a ![b](c) d', 'e', 16)],
    ['[a `]` b](c)', 0, link('a `]` b', 'c', 12)],
    ['[a `b](c)', 0, link('a `b', 'c', 9)],
    ['[a ``]` b`` c](d)', 0, link('a ``]` b`` c', 'd', 17)],
    ['[a `|](b) c` d](e)', 0, link('a `|', 'b', 9)],
    ['[a \\] b](c)', 0, link('a \\] b', 'c', 11)],
    ['[a \\`] b](c)', 0, 'text'],
    ['] [a](b)', 2, link('a', 'b', 8)],
  ])('in %j at %i: %j', (text, bracket, found) => {
    expect(at(text, bracket)).toEqual(found);
    expect(at(`${text}\n`, bracket, false)).toEqual(found);
  });

  test.each([
    ['[a](b', 0],
    ['[a](', 0],
    ['[a]', 0],
    ['[a', 0],
    ['[', 0],
    ['[a `b](c)', 0],
    ['[a \\', 0],
  ])('or may still do so, while %j grows', (text, bracket) => {
    expect(at(text, bracket, false)).toBe('held');
  });

  test.each([
    ['[a](b', 0],
    ['[a]', 0],
    ['[a', 0],
    ['[a]b', 0],
    ['[a] (b)', 0],
    ['[a\n](b)', 0],
    ['[a](b\n)', 0],
    ['[a](b c)', 0],
    ['[a [b](c) d](e)', 0],
    ['[[a](b)](c)', 0],
  ])('or does not: %j', (text, bracket) => {
    expect(at(text, bracket)).toBe('text');
  });

  test('for an image, whose mark precedes it', () => {
    expect(at('![a](b)', 1, true, 0)).toEqual(link('a', 'b', 7));
  });
});

test('one lookAhead finds the link of every opener in a text, even if an earlier opener is asked for again', () => {
  const text = '[a](b) [c `d](e) `f](g)\n[h](i)';
  const lookAhead = new LookAhead(text, true);
  const answers = () => [0, 7, 24].map((bracket) => lookAhead.link(bracket));
  const expected = [link('a', 'b', 6), link('c `d](e) `f', 'g', 23), link('h', 'i', 30)];
  expect(answers()).toEqual(expected);
  expect(answers()).toEqual(expected);
});

describe('a window', () => {
  const window = (text: string, from: number, ended: boolean) => {
    const { end, closed } = new LookAhead(text, ended).window(from);
    return [end, closed];
  };
  test('ends with the line or with the available text', () => {
    expect(window('ab\ncd', 0, false)).toEqual([2, true]);
    expect(window('ab\rcd', 1, false)).toEqual([2, true]);
    expect(window('ab\ncd', 3, false)).toEqual([5, false]);
    expect(window('ab\ncd', 3, true)).toEqual([5, true]);
    expect(window('\n', 0, false)).toEqual([0, true]);
  });

  test('ends after 1,024 characters, whatever follows', () => {
    const text = 'x'.repeat(1_025);
    expect(window(text, 0, false)).toEqual([1_024, true]);
    expect(window(text, 1, false)).toEqual([1_025, true]);
    expect(window(text, 2, false)).toEqual([1_025, false]);
    expect(window(text, 2, true)).toEqual([1_025, true]);
  });

  test('is found again when the lookAhead goes back, and continues', () => {
    const lookAhead = new LookAhead('ab\ncd\nef', false);
    expect([0, 3, 0, 6, 1].map((from) => lookAhead.window(from).end)).toEqual([2, 5, 2, 8, 2]);
  });
});
