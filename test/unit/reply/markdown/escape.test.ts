/** Tests the escapes that all channels use. */

import { describe, expect, test } from 'vitest';
import { asWords, bracketless, carried, followed, linkTo, shortened } from '../../../../src/kit/emission.ts';
import { parse } from '../../../../src/kit/ladder.ts';
import { plain } from '../../../../src/reply/markdown/plain.ts';

describe('words', () => {
  test('contain no bar that separates cells and no backtick that opens code', () => {
    expect(asWords('a | b')).toBe('a \\| b');
    expect(asWords('run `rm` now')).toBe('run \\`rm\\` now');
    const [table] = parse(`| ${asWords('a | b')} |\n| --- |`);
    expect(table).toMatchObject({ kind: 'table', align: [expect.anything()] });
    for (const words of ['a | b', '`x`', '*x*', '[x](y)', '~x~', '# x', '![x](y)', 'a\\b'])
      expect(plain(`- ${asWords(words)}`)).toBe(`- ${words}`);
  });

  test('have each mark of Markdown escaped, each bracket and entity as one, on one line', () => {
    expect(asWords('\\`*_[]()!|~#')).toBe('\\\\\\`\\*\\_\\[\\]\\(\\)\\!\\|\\~\\#');
    expect(asWords('<a> & &amp;')).toBe('&lt;a&gt; &amp; &amp;amp;');
    expect(asWords('a \t\r\n b\u2028c')).toBe('a b c');
    expect(asWords('a.b-c+d:e;f="g\'')).toBe('a.b-c+d:e;f="g\'');
    expect(asWords('a\u0000b')).toBe('a\uFFFDb');
  });
});

describe('carried text', () => {
  test('has no unpaired surrogates and no controls except tabs and line ends', () => {
    expect(carried('a\ud800b\udc00c😀')).toBe('a\uFFFDb\uFFFDc😀');
    const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
    const kept = controls.filter((control) => carried(control) === control);
    expect(kept).toEqual(['\t', '\n', '\r']);
    expect(carried('\u0001\u0008\u000b\u000c\u000e\u001f\u007f')).toBe('\uFFFD'.repeat(7));
    expect(carried(' ~\u0080é')).toBe(' ~\u0080é');
  });

  test('S04, S11: has none of the two marks that reverse text direction', () => {
    expect(carried('gpj\u202e.exe\u202d')).toBe('gpj\uFFFD.exe\uFFFD');
    expect(carried('\u202a\u202c\u200f\u2066')).toBe('\u202a\u202c\u200f\u2066');
  });
});

test('brackets become entities, and entities stay', () => {
  expect(bracketless('<<a>> &amp; &')).toBe('&lt;&lt;a&gt;&gt; &amp; &');
});

describe('the beginning of a text', () => {
  test('is the text if it fits, or else ends with an ellipsis within the limit', () => {
    expect(shortened('abcde', 5)).toBe('abcde');
    expect(shortened('abcdef', 5)).toBe('abcd…');
    expect(shortened('', 5)).toBe('');
    expect(shortened('abc', 1)).toBe('…');
  });

  test('never splits a character', () => {
    expect(shortened('two words more', 10)).toBe('two words…');
    expect(shortened('two words more', 8)).toBe('two…');
    expect(shortened(`a${'👩‍👩‍👧'.repeat(3)}`, 12)).toBe('a👩‍👩‍👧…');
    expect(shortened('e\u0301'.repeat(9), 6)).toBe(`${'e\u0301'.repeat(2)}…`);
    expect(shortened('🇩🇪🇫🇷🇮🇹', 7)).toBe('🇩🇪…');
    expect(shortened('ab😀cd', 4)).toBe('ab…');
    expect(shortened('ab😀cd', 5)).toBe('ab😀…');
    expect(shortened('ab\ud800cd', 4)).toBe('ab…');
    expect(shortened('ab\udbffcd', 4)).toBe('ab…');
    expect(shortened('ab\ud7ffcd', 4)).toBe('ab\ud7ff…');
    expect(shortened('ab\udc00cd', 4)).toBe('ab\udc00…');
  });
});

describe('an address', () => {
  test('contains no bar that separates cells and no backtick that opens code', () => {
    const target = followed('https://h.example/a|b?c=`d`');
    expect(target?.href).toBe('https://h.example/a%7Cb?c=%60d%60');
    expect(target && linkTo(target, 'x', 'x')).toBe('[x](https://h.example/a%7Cb?c=%60d%60)');
  });

  test('contains nothing that ends it in Markdown', () => {
    expect(followed('https://h.example/(a)?<b>#(c)')).toEqual({
      href: 'https://h.example/%28a%29?%3Cb%3E#%28c%29',
      host: 'h.example',
    });
    expect(followed('mailto:a@h.example?subject=(b)')?.href).toBe('mailto:a@h.example?subject=%28b%29');
  });

  test('has its entities decoded once', () => {
    expect(followed('https://h.example/?a=1&amp;b=2&amp;amp;c')?.href).toBe(
      'https://h.example/?a=1&b=2&amp;c',
    );
  });

  test.each([
    'javascript:alert(1)',
    'h.example',
    'https://h&colon;x.example/',
    'https://h.example&period;evil.example/',
    'https://a@h.example/',
  ])('is not followed: %s', (destination) => {
    expect(followed(destination)).toBeUndefined();
  });
});

describe('a link', () => {
  const target = { href: 'https://h.example/a', host: 'h.example' };
  test('shows its words, or its host if there are none', () => {
    expect(linkTo(target, 'words', 'words')).toBe('[words](https://h.example/a)');
    expect(linkTo(target, '', '')).toBe('[h.example](https://h.example/a)');
    expect(linkTo(target, ' ', ' \t')).toBe('[h.example](https://h.example/a)');
    expect(linkTo({ ...target, host: 'h_a.example' }, '', '')).toBe('[h\\_a.example](https://h.example/a)');
  });

  test('shows its host beside words that name another one', () => {
    expect(linkTo(target, '**good.example**', '**good.example**')).toBe(
      '[**good.example**](https://h.example/a) (h.example)',
    );
    expect(linkTo({ ...target, host: 'h_a.example' }, 'good.example', 'x')).toBe(
      '[x](https://h.example/a) (h\\_a.example)',
    );
  });

  test.each([
    'good&period;example',
    'good&#46;example',
    'good\u2024example',
    'good\u3002example',
    'good\uff0eexample',
    '\u{1d420}ood.\u2060example',
    '`good.example`',
    '![good.example](x)',
  ])('shows its host beside words that name another one in disguise: %j', (words) => {
    expect(linkTo(target, words, 'x')).toBe('[x](https://h.example/a) (h.example)');
  });
});
