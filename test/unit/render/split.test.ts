import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from '../../../src/render/parse.ts';
import { split } from '../../../src/render/split.ts';
import { markdown, seed } from './texts.ts';

/** Whether all that is written in `text` is found in order among `pieces`. */
function keepsOrder(text: string, pieces: readonly string[]): boolean {
  const all = pieces.join('').replace(/\s/g, '');
  let at = 0;
  for (const char of text.replace(/\s/g, '')) {
    at = all.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

describe(`splitting (seed ${seed})`, () => {
  test('loses nothing, keeps the order, and stays within the limit', () => {
    fc.assert(
      fc.property(fc.array(markdown, { maxLength: 8 }), fc.integer({ min: 64, max: 400 }), (texts, limit) => {
        const text = texts.join('\n\n');
        const pieces = split(text, limit);
        expect(pieces.filter((piece) => piece.length > limit)).toEqual([]);
        expect(keepsOrder(text, pieces)).toBe(true);
        expect(pieces.every((piece) => piece.trim() !== '')).toBe(true);
      }),
      { seed, numRuns: 2_000 },
    );
  });

  test('returns a short text as it is, and nothing for a blank one', () => {
    expect(split('# a\n\nb', 64)).toEqual(['# a\n\nb']);
    expect(split(' \n', 64)).toEqual([]);
  });

  test('parts between blocks', () => {
    const [first, second] = ['a'.repeat(50), 'b'.repeat(50)];
    expect(split(`${first}\n\n${second}`, 80)).toEqual([first, second]);
  });

  test('closes a fence and opens it again with its language', () => {
    const line = 'const leave = take();';
    const pieces = split(`\`\`\`ts\n${`${line}\n`.repeat(20)}\`\`\``, 100);
    expect(pieces.length).toBeGreaterThan(3);
    const blocks = pieces.flatMap((piece) => parse(piece));
    expect(blocks.every((block) => block.kind === 'code' && block.language === 'ts')).toBe(true);
    const code = blocks.map((block) => (block.kind === 'code' ? block.text : '')).join('\n');
    expect(code).toBe(Array(20).fill(line).join('\n'));
  });

  test('repeats the head of a table', () => {
    const rows = Array.from({ length: 30 }, (_, at) => `| ${at} | ${at * at} |`);
    const pieces = split(`| n | square |\n| - | -: |\n${rows.join('\n')}`, 120);
    const tables = pieces.flatMap((piece) => parse(piece));
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.every((block) => block.kind === 'table' && block.align[1] === 'right')).toBe(true);
    expect(tables.flatMap((block) => (block.kind === 'table' ? block.rows : []))).toHaveLength(30);
  });

  test('parts a list between its items, not inside the code of one', () => {
    const item = '- take leave from the budget\n  ```\n  a\n  b\n  ```';
    const pieces = split(Array(8).fill(item).join('\n'), 140);
    for (const piece of pieces) {
      const [list] = parse(piece);
      expect(list?.kind === 'list' && list.items.every((each) => each.children.length === 2)).toBe(true);
    }
  });

  test('parts prose after a sentence or a word and no character in two', () => {
    const prose = 'A call takes leave from its budget first. '.repeat(6);
    expect(split(prose, 100).every((piece) => piece.endsWith('.'))).toBe(true);
    expect(split('😀'.repeat(100), 65).every((piece) => !/[\ud800-\udbff]$/.test(piece))).toBe(true);
  });
});
