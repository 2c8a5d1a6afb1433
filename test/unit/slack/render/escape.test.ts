/** Tests the escapes alone: how active content is replaced in each kind of text that Slack has. */

import { describe, expect, test } from 'vitest';
import {
  asMrkdwn,
  inert,
  label,
  shortenedBytes,
  unmarked,
} from '../../../../adapters/slack/render/escape.ts';

const JOINER = '\u2060';

test('S03: mrkdwn has its three special characters as entities, each escaped once', () => {
  expect(asMrkdwn('<!here> & <@U1> &amp; a > b')).toBe('&lt;!here&gt; &amp; &lt;@U1&gt; &amp;amp; a &gt; b');
  expect(asMrkdwn('a\u0000\ud800')).toBe('a\uFFFD\uFFFD');
});

test('mrkdwn strikes out no prices and ranges between tildes, and keeps paths', () => {
  expect(asMrkdwn('~$36k or ~€40k, 20~25 °C, ~/bin and ~x')).toBe('∼$36k or ∼€40k, 20∼25 °C, ~/bin and ~x');
});

describe('a plain text', () => {
  test.each([
    ['<!here>', `<${JOINER}!here>`],
    ['<@U1> <@U2>', `<${JOINER}@U1> <${JOINER}@U2>`],
    ['<#C1>', `<${JOINER}#C1>`],
    ['<https://h.example|label>', `<${JOINER}https://h.example|label>`],
    ['<MAILTO:a@h.example>', `<${JOINER}MAILTO:a@h.example>`],
    ['<a:b>', `<${JOINER}a:b>`],
    ['<z9+.-:b>', `<${JOINER}z9+.-:b>`],
    ['<<!here>', `<<${JOINER}!here>`],
    ['\u202e<!here>', `\uFFFD<${JOINER}!here>`],
  ])('contains nothing active: %j', (text, shown) => {
    expect(inert(text)).toBe(shown);
  });

  test.each([
    '1 < 2',
    '<9:b>',
    '<a b:c>',
    '<:b>',
    '<',
    'a & b',
    '!here @U1 #C1',
    '<ä:b>',
  ])('stays unchanged: %j', (text) => {
    expect(inert(text)).toBe(text);
  });
});

test('a text looks the same with and without Markdown', () => {
  expect(unmarked('[a](b) ![c][d] [e]: f')).toBe(`[a]${JOINER}(b) ![c]${JOINER}[d] [e]${JOINER}: f`);
  expect(unmarked('<b> <@U1> <')).toBe(`<${JOINER}b> <${JOINER}@U1> <`);
  for (const text of ['a] b', 'a < b', 'a]', '<', `<${JOINER}b`]) expect(unmarked(text)).toBe(text);
});

describe('a label', () => {
  test('is one line, inert, and never empty', () => {
    expect(label('  a \n\t b  ', 10, 'none')).toBe('a b');
    expect(label('<!here>', 20, 'none')).toBe(`<${JOINER}!here>`);
    expect(label(' \n ', 10, 'none')).toBe('none');
    expect(label('', 10, 'none')).toBe('none');
  });

  test('is cut at its limit', () => {
    expect(label('abcdefgh', 8, 'none')).toBe('abcdefgh');
    expect(label('abcdefghi', 8, 'none')).toBe('abcdefg…');
    expect(label('', 3, 'none')).toBe('no…');
  });
});

describe('a text with a limit in bytes', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abc…'],
    ['äöü', 6, 'äöü'],
    ['äöüa', 6, 'ä…'],
    ['äöüä', 7, 'äö…'],
    ['aäöüä', 7, 'aä…'],
    ['aäöüä', 8, 'aäö…'],
    ['字字字', 8, '字…'],
    ['字字字', 9, '字字字'],
    ['字字字a', 9, '字字…'],
    ['😀😀😀', 11, '😀😀…'],
    ['😀😀😀', 10, '😀…'],
    ['a😀😀', 7, 'a…'],
    ['a😀😀', 8, 'a😀…'],
    ['abcdef', 3, '…'],
    ['abcdefgh', 4, 'a…'],
    ['\u{10000}\u{10000}', 6, '…'],
    ['\u{10ffff}\u{10ffff}', 6, '…'],
    ['\u{10000}\u{10000}', 7, '\u{10000}…'],
    ['', 0, ''],
  ])('%j within %i bytes is %j', (text, limit, shown) => {
    expect(shortenedBytes(text, limit)).toBe(shown);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limit);
  });

  test('is as long as possible, for any limit', () => {
    const text = 'aä字😀'.repeat(40);
    for (let limit = 3; limit < Buffer.byteLength(text); limit++) {
      const shown = shortenedBytes(text, limit);
      const kept = Array.from(text).reduce(
        (taken, char) => (Buffer.byteLength(`${taken}${char}…`) <= limit ? taken + char : `${taken}\0`),
        '',
      );
      expect(shown).toBe(`${kept.split('\0', 1)[0]}…`);
    }
  });
});
