/** The escapes that every channel's texts pass. */

import { expect, test } from 'vitest';
import { asWords, followed, linkTo } from '../../../src/kit/emission.ts';
import { parse, plain } from '../../../src/kit.ts';

test('words hold no bar that parts cells and no backtick that opens code', () => {
  expect(asWords('a | b')).toBe('a \\| b');
  expect(asWords('run `rm` now')).toBe('run \\`rm\\` now');
  const [table] = parse(`| ${asWords('a | b')} |\n| --- |`);
  expect(table).toMatchObject({ kind: 'table', align: [expect.anything()] });
  for (const words of ['a | b', '`x`', '*x*', '[x](y)', '~x~', '# x', '![x](y)', 'a\\b'])
    expect(plain(`- ${asWords(words)}`)).toBe(`- ${words}`);
});

test('an address holds no bar that parts cells and no backtick that opens code', () => {
  const target = followed('https://h.example/a|b?c=`d`');
  expect(target?.href).toBe('https://h.example/a%7Cb?c=%60d%60');
  expect(target && linkTo(target, 'x', 'x')).toBe('[x](https://h.example/a%7Cb?c=%60d%60)');
});
