/** Tests how the table around an offset is found from the lines above it. */

import { expect, test } from 'vitest';
import { tableAround } from '../../../../src/reply/markdown/emission/table-lines.ts';

const HEAD = '| a |\n|-|\n';

test.each([
  ['at a row', `${HEAD}| 1 |`, HEAD.length, 0],
  ['at a later row', `${HEAD}| 1 |\n| 2 |\n`, HEAD.length + 6, 0],
  ['under text', `text\n${HEAD}| 1 |`, 5 + HEAD.length, 5],
  ['at a row of one bar', `${HEAD}|`, HEAD.length, 0],
  ['under the table', `${HEAD}| 1 |\nend`, HEAD.length + 6, undefined],
  ['at the end of the text', `${HEAD}| 1 |\n`, HEAD.length + 6, undefined],
  ['under a line without a bar', `${HEAD}end\n| 1 |`, HEAD.length + 4, undefined],
  ['at a second row without a head', '| 1 |\n| 2 |', 6, undefined],
  ['at the first line', '| 1 |\n| 2 |', 0, undefined],
  ['under dashes without a head', '|-|\n| 1 |', 4, undefined],
  ['under dashes below a line without a bar', 'a\n|-|\n| 1 |', 6, undefined],
])('%s', (_, source, at, table) => {
  expect(tableAround(source, at)).toBe(table);
});

test('the search covers 400 lines', () => {
  const rows = (count: number) => `${HEAD}${'| 1 |\n'.repeat(count)}`;
  const below = (count: number) => tableAround(`${rows(count)}| 2 |`, rows(count).length);
  expect([below(399), below(400)]).toEqual([0, undefined]);
});

test('a head of more than 1,000 characters is not repeated', () => {
  const head = (length: number) => `|${'a'.repeat(length - 6)}\n|-|\n`;
  const source = (length: number) => `${'text '.repeat(300)}\n${head(length)}| 1 |`;
  const tableOf = (length: number) => tableAround(source(length), 1_501 + length);
  expect([tableOf(1_000), tableOf(1_001)]).toEqual([1_501, undefined]);
});
