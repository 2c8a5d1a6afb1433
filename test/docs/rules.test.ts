/** Tests the functions that find rules and citations in pages. */

import { expect, test } from 'vitest';
import { citedIn, outsideReferences, pathsIn, statedIn } from './rules.ts';

test('citations are found alone, in ranges and across line ends', () => {
  const text = 'Faults F08 to\n * F10, attack S05, DEC-5a, target P1s, UTF-8, AES-256; delivery contract 2.';
  expect([...citedIn(text)]).toEqual(['F08', 'F09', 'F10', 'S05', 'DEC-5a', 'P1s', 'Delivery contract 2']);
});

test('a rule is stated by the first cell of a row, or by a heading', () => {
  const page = '| F01 | as F02 |\n| --- | --- |\n\n### Delivery contract 3: text\n\nSee F03.\n';
  expect(statedIn(page)).toEqual(['F01', 'Delivery contract 3']);
});

test.each([
  'see trust.md',
  'the trust contract',
  'house rule 3',
  'spec/operations.json',
  'experience page, E5',
  ['..', 'shared', 'x.md'].join('/'),
])('a reference to a document outside the repository is found: %s', (text) =>
  expect(outsideReferences(text)).toHaveLength(1));

test('pages of the repository do not count as outside references', () => {
  expect(outsideReferences('docs/reference/platform-contract.md, docs/slack.md')).toEqual([]);
});

test('paths are found in code marks only', () => {
  const text = 'See `test/faults/*-kill.test.ts`, `src/kit.ts`, test/unit and `npm test`.';
  expect(pathsIn(text)).toEqual(['test/faults/*-kill.test.ts', 'src/kit.ts']);
});
