/** Tests the exact output for fences, tables, headings and task lists, for complete and for growing texts. */

import { describe, expect, test } from 'vitest';
import { slackMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { ENDED, GROWING, START } from '../../../../src/kit/emission.ts';
import { expectWritten, extended, held, teams, type Written } from './written.ts';

const fences: readonly Written[] = [
  ['```!js\nx', '```\nx\n```'],
  ['```\na\n```\t \nb', '```\na\n```\nb'],
  ['~~~\n````` x\n~~~', '`````\n````` x\n`````'],
  ['```\n``` x\n```', '```\n``` x\n```'],
  ['```\n~~~~\n```', '```\n~~~~\n```'],
  ['`````\n````\n`````', '`````\n````\n`````'],
  ['   ```js\n   a\n   ```', '```js\na\n```'],
  ['> ```\n > a\n   > b\n> ```', '```\na\nb\n```'],
  ['> > ```\n> > a\n> b\n> > ```', '```\na\nb\n```'],
];
test.each(fences)('a fence: %j', expectWritten);

const tables: readonly Written[] = [
  ['x | y\n|-|-|\n| 1 | 2 |', 'x | y\n|-|-|\n| 1 | 2 |', 'x | y\n\n**▦ Table 1**'],
  ['a|\n-\nb', 'a|\n-\nb', 'a|\n\\-\nb'],
  ['a | b\r\n-|-\r\n1 | 2', 'a | b\n-|-\n1 | 2', 'a | b\n\n**▦ Table 1**'],
  ['a | b\r-|-\r1 | 2', 'a | b\n-|-\n1 | 2', 'a | b\n\n**▦ Table 1**'],
  ['> | a |\n> |-|\n> > | b |', '> | a |\n> |-|\n> > | b |', '> **▦ Table 1**\n\n> > | b |'],
  [
    '> | a |\n> |-|\n>  | b |\n>   | c |',
    '> | a |\n> |-|\n>  | b |\n>   | c |',
    '> **▦ Table 1**\n\n>  | b |\n>   | c |',
  ],
  ['>  | a |\n>  |-|\n> | b |', '>  | a |\n>  |-|\n> | b |', '>  **▦ Table 1**\n\n> | b |'],
  ['  | a |\n  |-|\n  | b |\n| c |', '  | a |\n  |-|\n  | b |\n| c |', '  **▦ Table 1**\n\n| c |'],
  ['| a |\n|-|\n  | b |', '| a |\n|-|\n  | b |', '**▦ Table 1**\n\n  | b |'],
  ['| a |\n|-|\n\t| b |', '| a |\n|-|\n\t| b |', '**▦ Table 1**\n\n\t| b |'],
  ['- | a |\n  |-|\n  | b |', '- | a |\n  |-|\n  | b |'],
  ['| a |\n|-|\n`a` | b\n~~~ | c', '| a |\n|-|\n`a` | b\n`````\n`````', '**▦ Table 1**\n\n`````\n`````'],
];
test.each(tables)('a table: %j', expectWritten);

test('a head of more than 1,024 characters is emitted as text and begins no table', () => {
  const dashes = '-|'.repeat(256);
  expect(teams.markdown(`${'abc|'.repeat(255)}abc\n${dashes}`)).toContain('**▦ Table 1**');
  expect(teams.markdown(`${'abc|'.repeat(257)}\n${dashes}`)).not.toContain('Table');
});

const others: readonly Written[] = [
  ['-\t[x] a\n-  [ ] b\n- [x]b', '-\t[x] a\n-  [ ] b\n- \\[x]b', '-\t☑ a\n-  ☐ b\n- \\[x]b'],
  ['a [x] b\n- a [ ] b', 'a \\[x] b\n- a \\[ ] b'],
  ['\t# a\n >\t# b', '\t# a\n >\t# b', '\t**a**\n >\t**b**'],
  ['1.  # a\n1)\t## b', '1.  # a\n1)\t## b', '1.  **a**\n1)\t**b**'],
  ['a\n- - -', 'a\n- - -', 'a\n\n———\n'],
  ['-  -\n_ _', '-  -\n_ _'],
  ['> # a #\n> b', '> # a #\n> b', '> **a**\n> b'],
  ['#\t\n## #', '#\t\n## #', '\n'],
];
test.each(others)('a task, a heading or a rule: %j', expectWritten);

const JOINER = '\u2060';
const refused = (label: string): string => `[${label}](javascript:x)`;
const noBlocks: readonly Written[] = [
  [`${refused('~~~')}\na`, '\\~\\~\\~\na'],
  [`> ${refused('# b')}`, `> ${JOINER}# b`],
  [`- ${refused('- b')}${refused('+ c')}`, `- ${JOINER}- b${JOINER}+ c`],
  [`a\n${refused('===')}`, `a\n${JOINER}===`],
  [`a\n${refused('_ __')}`, `a\n${JOINER}_ __`],
  [`${refused('1')}. b`, `${JOINER}1. b`],
  [`${refused('    b')}`, `${JOINER}    b`],
  [`${refused('~~')}~~ b`, `${JOINER}~~~~ b`],
  [`${refused('')}# b`, `${JOINER}# b`],
  [`${refused('*b* _c_')}\n${refused('_c_')}`, `${JOINER}*b* _c_\n_c_`],
  ['![- b](javascript:x)', `${JOINER}- b`, '▣ - b', '▣ - b'],
  [`a ~~~ b ~~c~~`, 'a \\~\\~\\~ b ~~c~~'],
  [`[- b](https://h.example/${'a'.repeat(9_000)})`, `${JOINER}- b (h.example)`],
  [`[~~~](https://h.example/${'a'.repeat(9_000)})`, '\\~\\~\\~ (h.example)'],
];
test.each(noBlocks)('a label without its link begins no block: %#', expectWritten);

describe('the text held back while it grows', () => {
  test.each([
    ['> ```\n ', ' '],
    ['> ```\n> ', '> '],
    ['> > ```\n> ', '> '],
    ['> > ```\n> a', ''],
    ['- [ ', '- [ '],
    ['- [x', '- [x'],
    ['- [y', '[y'],
    ['- a [', '['],
    ['~~', '~~'],
    ['~~a', ''],
    ['```a', '```a'],
  ])('of %j is %j', (source, rest) => {
    expect(held(slackMarkdown, source)).toBe(rest);
    expect(held(extended, source)).toBe(rest);
  });

  test.each([
    ['| a |\r', '| a |\r'],
    ['> | a |\n> ', '> | a |\n> '],
    ['a | b\n|', '|'],
    ['a\n|', '|'],
    ['a\n-', '-'],
    ['| a |\n|-|\n| b |\n> ', '> '],
  ])('by Teams of %j is %j', (source, rest) => {
    expect(held(teams, source)).toBe(rest);
  });
});

test('a hidden table is found by its first line, wherever that is', () => {
  const tableOf = (source: string) => teams.hiddenTables(source, START);
  expect(tableOf('x\na | b\n-|-\n1 | 2')).toEqual([{ from: 2, number: 1, to: 17 }]);
  const long = `${'text '.repeat(300)}\n`;
  expect(tableOf(`${long}a | b\n-|-\n1 | 2\n\n`)).toEqual([{ from: 1_501, number: 1, to: 1_517 }]);
  expect(tableOf('\\| a')).toEqual([]);
});

test('a hidden table uses the room of its own lines', () => {
  const units = (source: string) => teams.emit(source, START, ENDED).units;
  const table = '| a |\n|-|\n| b |';
  expect(units(`${'x'.repeat(50)}\n\n${table}\n\n${'y'.repeat(50)}`) - units(table)).toBe(
    50 + 2 + 2 + 1 + 50,
  );
});

test('a message continues a hidden table only if its first line is a row', () => {
  const source = '| a |\n|-|\n| 1 |\n| 2 |\n\nend';
  const beginAfter = (length: number) =>
    teams.beginAt(source, teams.emit(source.slice(0, length), START, GROWING).state);
  const hidden = { from: 0, number: 1 };
  expect(beginAfter(16)).toEqual({ at: 16, fresh: true, hidden, tables: 1, table: 0 });
  expect(beginAfter(22)).toEqual({ at: 22, fresh: true, tables: 1 });
  const inRow = teams.emit(source.slice(0, 15), START, ENDED).state;
  expect(teams.beginAt(source, inRow)).toEqual({ at: 15, fresh: false, hidden, tables: 1, table: 0 });
  expect(teams.beginAt('text', { at: 2, fresh: false })).toEqual({ at: 2, fresh: false });
});

test('a fence continues in the next message with only its marks and its language', () => {
  const headOf = (source: string, from: number, mark: '`' | '~') =>
    slackMarkdown.headOf(source, {
      at: source.length,
      fresh: true,
      fence: { from, mark, size: 3, quotes: 0, indent: 0 },
    });
  expect(headOf('- ```js x\n  a\n', 0, '`')).toBe('```js\n');
  expect(headOf('text\n\n> ~~~ts\n> a\n', 6, '~')).toBe('`````ts\n');
  expect(headOf('```\njs\n', 0, '`')).toBe('```\n');
});
