import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFinder, matchBrackets } from '../../../../src/reply/markdown/mend.ts';
import { seed } from './texts.ts';

const soup = fc
  .array(fc.constantFrom('[', ']', '\\', '(', ')', 'a', '\n'), { maxLength: 200 })
  .map((parts) => parts.join(''));

/** Finds the closing bracket that belongs to the opening one before `from`, by a search for this bracket alone. */
function aloneFrom(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '[') depth++;
    else if (text[at] === ']' && depth-- === 0) return at;
  }
  return undefined;
}

test(`one pass finds the same closing brackets as separate searches (seed ${seed})`, () => {
  fc.assert(
    fc.property(soup, (text) => {
      const matches = matchBrackets(text);
      for (let at = 0; at < text.length; at++) {
        if (text[at] === '\\') at++;
        else if (text[at] === '[') expect([at, matches.get(at)]).toEqual([at, aloneFrom(text, at + 1)]);
      }
    }),
    { seed },
  );
});

test(`a finder finds the same places as separate searches (seed ${seed})`, () => {
  fc.assert(
    fc.property(soup, fc.array(fc.nat(200)), (text, places) => {
      const find = createFinder(text, /[)\n]/);
      for (const from of places.toSorted((one, other) => one - other)) {
        const at = text.slice(from).search(/[)\n]/);
        expect(find(from)).toBe(at < 0 ? text.length : from + at);
      }
    }),
    { seed },
  );
});
