/** Tests the list of checks, and the small parts from which checks are made. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { seeded } from '../../../src/conform/random.ts';
import { checks } from '../../../src/conform/run.ts';
import { randomStory, wordsIn } from '../../../src/conform/story.ts';
import { expectSame, unstorable } from '../../../src/conform/violation.ts';
import { headings, readPages } from '../../docs/pages.ts';

const pages = new Map(readPages().map(({ path, text }) => [path, text]));
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(' ', '-');

test('ids are unique, and each check names a page and a heading that exist', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  const lost = checks.filter(({ page }) => {
    const [path = '', anchor] = page.split('#');
    const text = pages.get(path);
    return text === undefined || (anchor !== undefined && !headings(text, 2).map(anchorOf).includes(anchor));
  });
  expect(lost.map(({ id, page }) => `${id}: ${page}`)).toEqual([]);
});

test('docs/channels.md names each suite, and the ids of a suite begin with its name', () => {
  const suites = [...new Set(checks.map(({ id }) => id.split('.')[0]))];
  const page = readFileSync(new URL('../../../docs/channels.md', import.meta.url), 'utf8');
  const told = page.split('| suite |')[1]?.split('\n\n')[0] ?? '';
  expect([...told.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)).toEqual(suites);
});

test('a story depends only on its seed, and each word of its document occurs once', () => {
  expect(randomStory(seeded(9))).toEqual(randomStory(seeded(9)));
  for (let seed = 0; seed < 200; seed++) {
    let text = '';
    for (const { change } of randomStory(seeded(seed)).steps)
      if (change.kind === 'append') text += change.text;
      else if (change.kind === 'rewrite') text = text.slice(0, change.at) + change.text;
    const words = wordsIn(text);
    expect(new Set(words).size).toBe(words.length);
    expect(words.map((word) => `${word} `).join('')).toBe(text);
  }
});

test('a screen must be plain JSON', () => {
  expect(unstorable({ parts: [{ id: 'a', sure: true, to: undefined }] })).toBeUndefined();
  expect(unstorable({ parts: [{ at: new Date() }] })).toBe('screen.parts[0].at');
  expect(unstorable({ seen: new Map() })).toBe('screen.seen');
  expect(unstorable({ at: Number.NaN })).toBe('screen.at');
});

test('members that are undefined make no difference', () => {
  expect(() => expectSame('', { a: 1, b: undefined }, { a: 1 })).not.toThrow();
  expect(() => expectSame('They differ.', { a: 1 }, { a: 2 })).toThrow(
    'They differ.\nexpected: { a: 2 }\nfound:    { a: 1 }',
  );
});
