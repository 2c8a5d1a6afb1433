import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inPages } from '../../../src/kit/pages.ts';

const ROOM = { units: 60, elements: 4 };
const units = (elements: readonly string[]) => JSON.stringify(elements).length;

describe('pages', () => {
  const pieces = fc.array(fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 6 }), {
    maxLength: 30,
  });

  test('hold every element once, in order', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        expect(inPages(all, ROOM).flat()).toEqual(all.flat());
      }),
    );
  });

  test('hold no more than they may, but for a piece that is larger by itself', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        for (const page of inPages(all, ROOM)) {
          const alone = all.some((piece) => piece.length === page.length && piece[0] === page[0]);
          if (!alone) expect(page.length).toBeLessThanOrEqual(ROOM.elements);
          // One bracket and one comma fewer for each piece that follows another.
          if (!alone) expect(units(page)).toBeLessThanOrEqual(ROOM.units);
        }
      }),
    );
  });

  test('begin only where a piece begins', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        const begins = new Set<number>();
        let at = 0;
        for (const piece of all) {
          begins.add(at);
          at += piece.length;
        }
        let page = 0;
        for (const each of inPages(all, ROOM)) {
          expect(begins.has(page)).toBe(true);
          page += each.length;
        }
      }),
    );
  });

  test('are as few as can be', () => {
    expect(inPages([['a'], ['b'], ['c', 'd'], ['e']], ROOM)).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  });

  test('there are none of nothing', () => expect(inPages([], ROOM)).toEqual([]));
});
