import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LookAhead } from '../../../../src/reply/markdown/look-ahead.ts';
import { loneLink, windowAt } from './lone-look.ts';
import { seed } from './texts.ts';

const places = (text: string): readonly number[] => [...text.matchAll(/\[/g)].map((found) => found.index);

function expectSame(text: string, ended: boolean): void {
  const lookAhead = new LookAhead(text, ended);
  for (const at of places(text)) {
    const opener = text[at - 1] === '!' ? at - 1 : at;
    const window = windowAt(text, opener, ended);
    expect(lookAhead.window(opener)).toEqual(window);
    expect([at, lookAhead.link(at, opener)]).toEqual([at, loneLink(window, at)]);
  }
}

/** Returns a text that counts how often one of its characters is read. Slices of it and patterns do not count. */
function counted(text: string) {
  let count = 0;
  const source: string = new Proxy(Object(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) count += 1;
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { source, reads: () => count };
}

const scraps = ['[', ']', '(', ')', '](', '![', '[a](https://h.example)', '![b](7)', '\\', 'word ', '\n'];
const soupOf = (pieces: readonly string[], maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.integer({ min: 1, max: 60 })), { maxLength })
    .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(''));

describe(`the search for closing brackets (seed ${seed})`, () => {
  test('equals separate searches for any mix of brackets, beyond the look-ahead limit', () => {
    fc.assert(fc.property(soupOf(scraps, 60), fc.boolean(), expectSame), {
      seed,
      numRuns: 500,
      examples: [
        ['[a](b) '.repeat(400), true],
        ['['.repeat(2_000), false],
      ],
    });
  });

  test('equals separate searches with code between the brackets, within the look-ahead limit', () => {
    const piece = fc.constantFrom(...scraps, '`', '``', '```', '````', '|', '`x`');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), (pieces, ended) => {
        const text = pieces.join('');
        fc.pre(text.length < 1_000);
        expectSame(text, ended);
      }),
      { seed, numRuns: 3_000, examples: [[['[', '`', 'word ', '``', '](', ')', '``', '](', ')'], true]] },
    );
  });

  test('takes a bracket as text if its label contains code that is undecided within the limit', () => {
    const text = `[it\`s](https://h.example) ${'x'.repeat(2_000)}`;
    expect(new LookAhead(text, true).link(0)).toBe('text');
    expect(new LookAhead(text.slice(0, 1_024), false).link(0)).toBe('text');
    expect(new LookAhead(text.slice(0, 1_023), false).link(0)).toBe('held');
    expect(new LookAhead(text.slice(0, 1_023), true).link(0)).toMatchObject({ label: 'it`s' });
  });

  test.each([
    ['openers', '['],
    ['openers and half links', '[[a]('],
    ['links inside links', '[[a](b) '],
    ['half links', '[a](b '],
    ['openers, and one half link far away', '[[[[[[[[x'],
    ['closings with half links', '[](]( '],
    ['images in open brackets', '[ ![a](b) '],
    ['images whose addresses hold code marks', '[ ![](`)'],
    ['code marks', '[`a '],
    ['code marks of two sizes', '[`[``'],
    ['escapes', '[\\]\\\\ '],
  ])('reads each character of %s a few times, however many there are', (_, piece) => {
    const looksOf = (length: number): number => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      const { source, reads } = counted(text);
      const lookAhead = new LookAhead(source, true);
      for (const at of places(text)) lookAhead.link(at);
      return reads() / text.length;
    };
    expect(looksOf(2_000)).toBeLessThan(16);
    expect(looksOf(16_000)).toBeLessThan(16);
  });
});

test('one lookAhead finds the link of every opener in a text, even if an earlier opener is asked for again', () => {
  const link = (label: string, destination: string, end: number) => ({ label, destination, end });
  const text = '[a](b) [c `d](e) `f](g)\n[h](i)';
  const lookAhead = new LookAhead(text, true);
  const answers = () => [0, 7, 24].map((bracket) => lookAhead.link(bracket));
  const expected = [link('a', 'b', 6), link('c `d](e) `f', 'g', 23), link('h', 'i', 30)];
  expect(answers()).toEqual(expected);
  expect(answers()).toEqual(expected);
});

test('a window is found again when the lookAhead goes back, and continues', () => {
  const lookAhead = new LookAhead('ab\ncd\nef', false);
  expect([0, 3, 0, 6, 1].map((from) => lookAhead.window(from).end)).toEqual([2, 5, 2, 8, 2]);
});
