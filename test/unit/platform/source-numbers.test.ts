/**
 * Tests that the numbers in the text and in the list agree in every channel if documents give several passages (platform
 * contract REF-2): `[k]` is the k-th entry of the platform's list.
 */

import { describe, expect, test } from 'vitest';
import { renderContextOf } from '../../../adapters/console/page/parts/render-context.ts';
import { readable } from '../../../adapters/console/page/state/readable.ts';
import { viewSources } from '../../../adapters/console/sources-view.ts';
import { Numbering } from '../../../src/cli/answer/numbering.ts';
import { turnId } from '../../../src/core/ids.ts';
import { begin } from '../../../src/core/live-reply/compose.ts';
import type { Source } from '../../../src/core/reply.ts';
import { changedMarks, numbersOf, renumberedText, sourcesOf } from '../../../src/kit/sources.ts';
import { parseBase } from '../../../src/platform/base-url.ts';
import { type Reference, references } from '../../../src/platform/operations/references.ts';
import { groupSources, passageOfReference, passagesIn } from '../../../src/platform/sources.ts';
import { deploymentOf } from '../../../src/platform/wire/deployment.ts';

const base = parseBase('https://platform.test', false);

/** Reads a list of references as the platform sends it; an entry is the name of a document, or anything else. */
function listed(entries: readonly unknown[]): readonly Source[] {
  const data = entries.map((entry, index) =>
    typeof entry === 'string'
      ? {
          title: entry,
          content: `passage ${index}`,
          score: 0.5 + index / 100,
          url: `/${entry}`,
          type: 'document',
        }
      : entry,
  );
  const read = references.response.parse(
    references.read({ success: true, data }, deploymentOf({})),
  ) as Reference[];
  return groupSources(read.map(passageOfReference), base);
}

const document = (text: string, sources: readonly Source[]) => ({ ...begin(turnId('t')), text, sources });

/** Returns the titles in the order of the list, and the text as people see it. */
function shown(text: string, sources: readonly Source[]) {
  const list = sourcesOf(document(text, sources));
  return { text: renumberedText(text, numbersOf(list)), list: list.map(({ source }) => source.title) };
}

const cases: readonly (readonly [string, readonly unknown[], string, string, readonly string[]])[] = [
  ['two passages of one document', ['A', 'A'], 'x [1] y [2]', 'x [1] y [1]', ['A']],
  ['a document after one with two', ['A', 'A', 'B'], 'x [1] y [2] z [3]', 'x [1] y [1] z [2]', ['A', 'B']],
  ['documents that alternate', ['A', 'B', 'A', 'B'], '[4] [3] [2] [1]', '[1] [2] [1] [2]', ['B', 'A']],
  ['the second passage alone', ['A', 'B', 'A'], 'only [3]', 'only [1]', ['A', 'B']],
  ['a number beyond the list', ['A', 'A', 'B'], '[3] [4] [0]', '[1] [4] [0]', ['B', 'A']],
  ['entries that cannot be read', ['A', null, {}, 'B'], '[1] [4]', '[1] [2]', ['A', 'B']],
  ['equal entries', ['A', 'A', 'B'], '[2][3]', '[1][2]', ['A', 'B']],
];

test.each(cases)('%s', (_, entries, text, expected, list) => {
  const sources = listed(entries);
  expect(shown(text, sources)).toEqual({ text: expected, list });
  const view = viewSources(sources, text);
  expect(view.map(({ title }) => title)).toEqual(list);
  const context = renderContextOf({ turn: 't', sources: view, media: [] });
  for (const [, digits] of text.matchAll(/\[(\d+)\]/g)) {
    const source = sources.find(({ mark, marks = [mark] }) => marks.includes(Number(digits)));
    expect(context.cited(Number(digits))?.key).toBe(source?.key);
  }
  expect(readable({ text, sources: view }).split('\n')[0]).toBe(expected);
});

test('the entries of a tool result are numbered in the same way', () => {
  const of = (document_id: string, content: string) => ({
    title: `Title ${document_id}`,
    content,
    document_id,
  });
  const sources = groupSources(passagesIn({ results: [of('A', '1'), of('A', '2'), of('B', '3')] }), base);
  expect(shown('[3] [2] [1]', sources)).toEqual({ text: '[1] [2] [2]', list: ['Title B', 'Title A'] });
});

test('printed numbers stand in the list, also if the references arrive after the text', () => {
  const sources = listed(['A', 'A', 'B']);
  const early = new Numbering();
  early.know(sources);
  expect([3, 1, 2, 4].map((mark) => early.print(mark))).toEqual([1, 2, 2, 4]);
  const late = new Numbering();
  expect([1, 2, 3].map((mark) => late.print(mark))).toEqual([1, 2, 3]);
  late.know(sources);
  const list = late.list('[1] [2] [3]', sources);
  expect(list.map(({ numbers, source }) => [source.title, numbers])).toEqual([
    ['A', [1, 2]],
    ['B', [3]],
  ]);
});

test('a message whose numbers change when the references arrive is edited', () => {
  const sources = listed(['A', 'A', 'B']);
  expect(changedMarks(document('x [1] y [2] z [3]', []), { from: 0 })).toEqual([]);
  expect(changedMarks(document('x [1] y [2] z [3]', sources), { from: 0 })).toEqual(['2>1', '3>2']);
});

test('a source that an earlier version stored keeps its one mark', () => {
  const old = { key: 'a', title: 'A', kind: 'document', mark: 3, fragments: [] } as const;
  expect(shown('x [3]', [old])).toEqual({ text: 'x [1]', list: ['A'] });
});

describe('text that is passed on', () => {
  const numbers = new Map([
    [1, 2],
    [2, 1],
  ]);
  test.each([
    ['a [1], b [2][1]', 'a [2], b [1][2]'],
    ['`x[1]` [1]', '`x[1]` [2]'],
    ['```\nx[1]\n``` [1]', '```\nx[1]\n``` [2]'],
    ['~~~\nx[1]\n~~~', '~~~\nx[1]\n~~~'],
    ['```\nunclosed [1]', '```\nunclosed [1]'],
    ['[1](https://a.test) ![1](5)', '[1](https://a.test) ![1](5)'],
    ['\\[1] [3] [1]:', '\\[1] [3] [2]:'],
    ['[1]: https://a.test\n\n[2]', '[1]: https://a.test\n\n[1]'],
  ])('%j', (text, expected) => {
    expect(renumberedText(text, numbers)).toBe(expected);
  });
});
