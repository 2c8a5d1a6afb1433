import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inPages } from '../../../src/kit/pages.ts';

const ROOM = { units: 60, elements: 4 };
const units = (elements: readonly string[]) => JSON.stringify(elements).length;

describe('pages', () => {
  const pieces = fc.array(fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 6 }), {
    maxLength: 30,
  });

  test('contain every element once, in order', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        expect(inPages(all, ROOM).flat()).toEqual(all.flat());
      }),
    );
  });

  test('stay within their capacity, except for a single larger piece', () => {
    fc.assert(
      fc.property(pieces, (all) => {
        for (const page of inPages(all, ROOM)) {
          const alone = all.some((piece) => piece.length === page.length && piece[0] === page[0]);
          if (!alone) expect(page.length).toBeLessThanOrEqual(ROOM.elements);
          // Joining two pieces makes their JSON one unit shorter: two brackets disappear and one comma is added.
          if (!alone) expect(units(page)).toBeLessThanOrEqual(ROOM.units);
        }
      }),
    );
  });

  test('start only at the start of a piece', () => {
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

  test('are as few as possible', () => {
    expect(inPages([['a'], ['b'], ['c', 'd'], ['e']], ROOM)).toEqual([['a', 'b', 'c', 'd'], ['e']]);
  });

  test('are none for no pieces', () => expect(inPages([], ROOM)).toEqual([]));
});
