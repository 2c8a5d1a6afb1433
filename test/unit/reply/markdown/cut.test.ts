/**
 * Tests how an answer is split into messages, and which text is repeated at the start of a message. Each message
 * keeps 64 characters free for closing marks such as fences.
 */

import { describe, expect, test } from 'vitest';
import { slackMarkdown, streamMarkdown } from '../../../../adapters/slack/render/emit.ts';
import { emitterOf } from '../../../../adapters/teams/render/emit.ts';
import { type Emitter, START } from '../../../../src/kit/emission.ts';

const CLOSING = 64;
const teams = emitterOf('markdown');

/** Returns the offsets at which the messages end if each has `room` characters for its text. */
const ends = (source: string, room = 100, emitter: Emitter = slackMarkdown): readonly number[] =>
  emitter.ranges(source, room + CLOSING).map(({ to }) => to);
const messages = (source: string, room = 100, emitter: Emitter = slackMarkdown): readonly string[] =>
  emitter.ranges(source, room + CLOSING).map(({ begin, to }) => emitter.rangeText(source, begin, to));

const [a, b, c] = ['a', 'b', 'c'].map((char) => (count: number) => char.repeat(count)) as [
  (count: number) => string,
  (count: number) => string,
  (count: number) => string,
];

describe('the cuts of an answer', () => {
  test.each([
    ['are absent if the text fits', a(100), [100]],
    ['within a word that is longer than a message', a(101), [100, 101]],
    ['between blocks', `${a(60)}\n\n${b(30)}\n${c(30)}`, [62, 123]],
    ['between lines, if the block ends in the first half', `${a(30)}\n\n${b(40)}\n${c(30)}\nd`, [73, 105]],
    ['between blocks from the first half on', `${a(49)}\n\n${b(30)}\n${c(30)}`, [51, 112]],
    ['between lines below it', `${a(48)}\n\n${b(30)}\n${c(30)}`, [81, 111]],
    ['after the last line that fits', `${a(60)}\n${b(30)}\n${c(30)}`, [92, 122]],
    ['after a fence', `\`\`\`\n${a(50)}\n\`\`\`\n${b(30)}\n${c(30)}`, [59, 120]],
    ['after a fence in a quote', `> ~~~\n> ${a(50)}\n> ~~~ \n${b(30)}\n${c(30)}`, [66, 127]],
    ['after prose rather than a row', `${a(60)}\n${b(15)}|\n${c(30)}`, [61, 108]],
    ['after a sentence', `${a(30)}. ${b(30)}. ${'c '.repeat(30)}`, [63, 124]],
    ['after a word, if the sentence ends in the first half', `${a(40)}. ${b(30)} ${c(60)}`, [73, 133]],
    ['after a word', `${a(70)} ${b(60)}`, [71, 131]],
    ['after a full stop of Chinese', `${'字'.repeat(60)}。${'字'.repeat(60)}`, [61, 121]],
    ['within a long line after a short one', `${a(20)}\n${b(200)}`, [100, 200, 221]],
    ['between lines, though one ends like a fence', `${a(50)} \`\`\`\n${b(30)}\n${c(30)}`, [86, 116]],
    ['before what would be held back for more text', `${a(90)} [${b(30)}`, [91, 122]],
    ['anywhere else', `${a(98)}.${a(10)}`, [100, 109]],
  ])('%s', (_, source, places) => {
    expect(ends(source)).toEqual(places);
  });

  test('count the channel’s output', () => {
    expect(ends('<'.repeat(60))).toEqual([24, 48, 60]);
    const lines = [30, 30, 30].map((count) => 'ä'.repeat(count)).join('\n');
    expect(ends(lines, 100, streamMarkdown)).toEqual([31, 62, 92]);
    expect(ends(lines)).toEqual([92]);
  });

  test('never precede text that is shown already', () => {
    const source = `${a(60)}\n\n${b(30)}\n${c(30)}`;
    const cut = (atLeast: number) =>
      slackMarkdown.cutAfter(source, START, { limit: 100 + CLOSING, atLeast })?.at;
    expect([cut(0), cut(62), cut(63), cut(93)]).toEqual([62, 62, 93, 93]);
    expect(slackMarkdown.cutAfter(a(100), START, { limit: 100 + CLOSING })).toBeUndefined();
  });
});

describe('a message that continues', () => {
  test('opens the fence again, with its language', () => {
    const source = `\`\`\`js more\n${a(50)}\n${b(40)}\n${c(30)}\n\`\`\``;
    expect(messages(source)).toEqual([`\`\`\`js\n${a(50)}\n${b(40)}\n\`\`\``, `\`\`\`js\n${c(30)}\n\`\`\``]);
    const waves = `> ~~~~\n> ${a(60)}\n> ${b(60)}`;
    expect(messages(waves)).toEqual([`\`\`\`\`\`\n${a(60)}\n\`\`\`\`\``, `\`\`\`\`\`\n${b(60)}\n\`\`\`\`\``]);
  });

  test('repeats the head of the table', () => {
    const head = '| a | b |\n|---|---|\n';
    const row = `| ${a(10)} | y |\n`;
    expect(messages(head + row.repeat(8))).toEqual([head + row.repeat(4), head + row.repeat(4)]);
    const long = `| ${a(1_000)} |\n|-|\n`;
    expect(messages(`${long}${`| ${b(60)} |\n`.repeat(40)}`, 2_000)[1]?.startsWith('| bbb')).toBe(true);
  });

  test('repeats no head behind other lines', () => {
    const source = `| a |\n|-|\n${b(60)}\n| ${c(60)} |`;
    expect(messages(source)).toEqual([`| a |\n|-|\n${b(60)}\n`, `| ${c(60)} |`]);
    expect(messages(`x | y\n${a(10)}|\n${b(60)}|\n${c(60)}|`)[1]).toBe(`${c(60)}|`);
  });

  test('does not continue a heading, whose bold words were closed', () => {
    const source = `# ${'a '.repeat(60)}\nb`;
    expect(messages(source, 100, teams)).toEqual([`**${'a '.repeat(48)}a**`, ` ${'a '.repeat(11)}\nb`]);
  });

  test('keeps the number of the table that it continues', () => {
    const head = '| a | b |\n|---|---|\n';
    const row = `| ${a(10)} | y |\n`;
    const source = `${head}\n${a(50)}\n\n${head}${row.repeat(6)}\nend`;
    const shown = messages(source, 600, teams);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.slice(1).every((text) => text.startsWith('**▦ Table 2**'))).toBe(true);
    expect(shown.at(-1)).toBe('**▦ Table 2**\n\n\nend');
    const begins = teams.ranges(source, 600 + CLOSING).map(({ begin }) => begin.at);
    expect(begins.slice(1).every((at) => source[at] === '|')).toBe(true);
  });
});

test.each([
  ['a\n\nb\n\nc', 6],
  ['a\n\nb\n', 3],
  ['\na\n\n', 4],
  ['\n', undefined],
  ['```\na\n\nb\n```\nc\n', 13],
  ['```\na\n\nb', undefined],
  ['a', undefined],
  ['a\nb\n', undefined],
])('the last settled place between blocks in %j is %j', (source, at) => {
  expect(slackMarkdown.settledEdge(source, START)?.at).toBe(at);
  expect(teams.settledEdge(source, START)?.at).toBe(at);
});

test('a long line is cut after a word or a sentence in the second half, not after a first space', () => {
  const partAt = (line: string) => slackMarkdown.insideLine(line, START, 100).at;
  expect(partAt(` ${b(200)}`)).toBe(100);
  expect(partAt(`${a(49)}. ${b(20)} ${c(100)}`)).toBe(72);
  expect(partAt(`${a(50)}. ${b(20)} ${c(100)}`)).toBe(51);
});

test('no message of Teams ends between the head of a hidden table and its first row', () => {
  const table = '| a |\n|-|\n| 1 |\n| 2 |\n| 3 |\n';
  expect(ends(`${a(60)}\n\n${table}`, 226, teams)).toEqual([78, 84, 90]);
  expect(ends(`${a(120)}\n\n${table}`, 226, teams)).toEqual([122, 138, 144, 150]);
});

test('a message begins in a table only between its rows, and never in a fence', () => {
  const source = '| a |\n|-|\n| 1 |\n| 2 |\n';
  const fence = { from: 0, mark: '`', size: 3, quotes: 0, indent: 0 } as const;
  expect(slackMarkdown.beginAt(source, { at: 16, fresh: true })).toStrictEqual({
    at: 16,
    fresh: true,
    table: 0,
  });
  expect(slackMarkdown.beginAt(source, { at: 18, fresh: false })).toStrictEqual({ at: 18, fresh: false });
  expect(slackMarkdown.beginAt(source, { at: 16, fresh: true, fence })).toStrictEqual({
    at: 16,
    fresh: true,
    fence,
  });
  expect(teams.beginAt(source, { at: 16, fresh: true })).toStrictEqual({ at: 16, fresh: true });
});
