import { describe, expect, test } from 'vitest';
import type { Source } from '../../../../src/core/reply.ts';
import { marksIn, numberSources } from '../../../../src/reply/markdown/sources.ts';

const source = (key: string, more: Partial<Source> = {}): Source => ({
  key,
  title: `Document ${key}`,
  kind: 'document',
  fragments: [],
  ...more,
});

describe('marks', () => {
  test('are returned in the order of their first appearance, from everywhere in the text', () => {
    expect(marksIn('# A [4]\n\n- b **[2]** [4]\n\n> c [1][3]\n\n| d [6] |\n| - |\n| e [5] |\n')).toEqual([
      4, 2, 1, 3, 6, 5,
    ]);
  });

  test('exclude code, links and images', () => {
    expect(
      marksIn('`a[1]` [2](https://h.example) ![3](4) [5]\n\n```\nb[6]\n```\n\n[5]: https://h.example\n'),
    ).toEqual([]);
  });
});

describe('numbers', () => {
  test('follow the text, then the given order', () => {
    const sources = [
      source('a', { mark: 1 }),
      source('b'),
      source('c', { mark: 3 }),
      source('d', { mark: 2 }),
    ];
    const numbered = numberSources('First [3], then [1] and `[2]`.', sources);
    expect(numbered.map(({ number, marks, source: { key } }) => [number, marks, key])).toEqual([
      [1, [3], 'c'],
      [2, [1], 'a'],
      [3, [], 'b'],
      [4, [2], 'd'],
    ]);
  });

  test('count a document once, with its best passages first and all its marks', () => {
    const sources = [
      source('a', {
        document: '7',
        mark: 2,
        score: 0.2,
        fragments: [{ text: 'low', score: 0.2 }, { text: 'none' }],
      }),
      source('b', { document: '8', mark: 1 }),
      source('c', {
        document: '7',
        mark: 3,
        score: 0.9,
        fragments: [
          { text: 'high', score: 0.9 },
          { text: 'low', score: 0.2 },
        ],
      }),
    ];
    const [first, second, ...others] = numberSources('See [3] and [1].', sources);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ number: 1, marks: [2, 3], source: { key: 'a', score: 0.9 } });
    expect(first?.source.fragments.map(({ text }) => text)).toEqual(['high', 'low', 'none']);
    expect(second).toMatchObject({ number: 2, marks: [1], source: { key: 'b' } });
  });
});
