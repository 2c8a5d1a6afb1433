/** Tests where constructs end within a line: code, the address of a link, runs of one character. */

import { describe, expect, test } from 'vitest';
import {
  closingRun,
  findCode,
  findTarget,
  isWholeLine,
  runEnd,
  undecided,
} from '../../../../src/reply/markdown/scan.ts';
import { windowAt } from './lone-look.ts';

describe('the target of a link', () => {
  test.each([
    ['https://h.example/a)', 'https://h.example/a', 20],
    [' \t https://h.example/a \t) more', 'https://h.example/a', 25],
    ['<https://h.example/a b>) more', 'https://h.example/a b', 24],
    ['<a\\>b>)', 'a>b', 7],
    ['<>)', '', 3],
    [')', '', 1],
    [' )', '', 2],
    ['a(b)c)', 'a(b)c', 6],
    ['a(b(c)d)e)', 'a(b(c)d)e', 10],
    ['(a))', '(a)', 4],
    ['((a)b))', '((a)b)', 7],
    ['(\\)))', '())', 5],
    ['a\\)b)', 'a)b', 5],
    ['\\_a\\!\\~\\:\\[\\@\\{)', '_a!~:[@{', 16],
    ['\\a\\1)', '\\a\\1', 5],
    ['a<b)', 'a<b', 4],
    ['a "title")', 'a', 10],
    ['a "ti\\"tle")', 'a', 12],
    ["a 'title')", 'a', 10],
    ["a 'ti\\'tle' )", 'a', 13],
    ['a (title))', 'a', 10],
    ['a (ti\\)tle)\t)', 'a', 13],
    ['a \t "title")', 'a', 12],
    ['a ""))', 'a', 5],
    ['<a> "t")', 'a', 8],
  ])('in %j is %j, with %i characters', (rest, destination, length) => {
    expect(findTarget(rest)).toEqual({ destination, length });
  });

  test.each([
    '',
    'https://h',
    'a(b)',
    'a(b',
    '<a',
    '<a)',
    'a "title',
    'a "title)',
    'a "ti"tle")',
    "a 'title",
    'a (title)',
    'a\\)',
    'a(b(c(d)))',
    'a <b)',
  ])('may still be completed in %j', (rest) => {
    expect(findTarget(rest)).toBe('open');
  });

  test.each(['a b)', 'a b) "c"', '\na)', 'a title) (b)'])('is absent in %j', (rest) => {
    expect(findTarget(rest)).toBe('none');
  });
});

describe('code in a line', () => {
  const code = (source: string, ended = true, at = 0) => findCode(windowAt(source, at, ended), at);

  test.each([
    ['`a`', { from: 1, to: 2, end: 3 }],
    ['``a`b`` c', { from: 2, to: 5, end: 7 }],
    ['`a``b`', { from: 1, to: 5, end: 6 }],
    ['`a|b` [x](y)', { from: 1, to: 4, end: 5 }],
    ['`[x](y)`', { from: 1, to: 7, end: 8 }],
  ])('in %j is found', (source, found) => {
    expect(code(source)).toEqual(found);
  });

  test.each(['`a', '`', '``a`', '`a``', '`a\n`', '`a|[x](y)`', '`](|`'])('is not found in %j', (source) => {
    expect(code(source)).toBe('text');
  });

  test.each(['`', '``', '`a', '`a`', '``a`', '`a``'])('is undecided in %j while it grows', (source) => {
    expect(code(source, false)).toBe('held');
    expect(code(`${source}\n`, false)).toEqual(code(source));
  });

  test.each([
    ['`a` ', { from: 1, to: 2, end: 3 }],
    ['`a|[x](y)` ', 'text'],
  ])('in %j depends on the following text', (source, found) => {
    expect(code(source, false)).toEqual(found);
  });
});

test('a run of backticks is found by its size, or reported as open', () => {
  const run = (source: string, size: number, from = 0, end = source.length) =>
    closingRun(source, size, from, end);
  expect(run('a`b``c', 2)).toEqual({ from: 3, to: 5 });
  expect(run('a`b``c', 1)).toEqual({ from: 1, to: 2 });
  expect(run('a`b``c', 1, 2)).toEqual({ from: 6 });
  expect(run('a`b``', 3)).toEqual({ from: 3, to: 5 });
  expect(run('a`b``c', 2, 0, 4)).toEqual({ from: 3, to: 4 });
  expect(run('a`b``c', 2, 0, 3)).toEqual({ from: 3 });
});

test('a run ends with its character or at the limit', () => {
  expect(runEnd('aaab', 0, 4)).toBe(3);
  expect(runEnd('aaab', 1, 2)).toBe(2);
  expect(runEnd('aaa', 0, 3)).toBe(3);
  expect(runEnd('aaa', 0, 9)).toBe(3);
});

test('a line is whole at its line end, or at the end of a closed text', () => {
  const whole = (source: string, end: number, closed: boolean) => isWholeLine({ source, end, closed });
  expect(whole('a\nb', 1, false)).toBe(true);
  expect(whole('a\rb', 1, true)).toBe(true);
  expect(whole('ab', 1, true)).toBe(false);
  expect(whole('ab', 2, true)).toBe(true);
  expect(whole('ab', 2, false)).toBe(false);
});

test('an opener that nothing can change any more is text', () => {
  expect(undecided({ source: '', end: 0, closed: true })).toBe('text');
  expect(undecided({ source: '', end: 0, closed: false })).toBe('held');
});
