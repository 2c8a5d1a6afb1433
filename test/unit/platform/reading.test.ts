import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Reading } from '../../../src/platform/stream/reading.ts';

/** Number of cases of the property that allows a wrong case, and of each other property, which allows none. */
const MANY_RUNS = 100_000;
const RUNS = 20_000;
/** Seed of the random cases; set PARLEY_SEED to repeat a run. fast-check prints the seed when a property fails. */
const SEED = process.env.PARLEY_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PARLEY_SEED);
process.stdout.write(`reading: seed ${SEED}\n`);

function read(name: string, chunks: readonly string[]): string {
  const reading = new Reading(name);
  let told = '';
  for (const chunk of chunks) {
    const { at, text } = reading.take(chunk);
    told = told.slice(0, at) + text;
  }
  // The two texts are equal even if the stream ends before its mode is decided. In this case, a mode is assumed:
  // `replace` if two chunks each began with the text of the chunk before them.
  expect(told).toBe(reading.text);
  return told;
}

const words = fc.constantFrom(
  ...'the a warranty is two years 24 months | --- `const x = 1;` \n \n\n - * ** 的 保修 两年 是 。 ， 😀 👍 0 0 00 1 1 la la la ha ha'.split(
    ' ',
  ),
  ' ',
  '\n| 1 | 2 |',
  '```ts\n',
);
/**
 * Texts of at least twelve words. A shorter text may consist only of blanks and line breaks. Its pieces could look
 * like snapshots, because each could begin with the piece before it.
 */
const answer = fc.array(words, { minLength: 12, maxLength: 120 }).map((list) => list.join(' '));
/** The text in non-empty pieces of random sizes. */
const pieces = fc
  .tuple(answer, fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 40 }))
  .map(([text, sizes]) => {
    const list: string[] = [];
    for (let at = 0, i = 0; at < text.length; i += 1) {
      const size = sizes[i % sizes.length] ?? 1;
      list.push(text.slice(at, at + size));
      at += size;
    }
    return list;
  });

function wrongOnes(
  property: (next: readonly string[]) => boolean,
  numRuns = RUNS,
): readonly (readonly string[])[] {
  return fc.sample(pieces, { numRuns, seed: SEED }).filter((list) => !property(list));
}

const snapshotsOf = (list: readonly string[]): string[] =>
  list.map((_piece, index) => list.slice(0, index + 1).join(''));

describe('CHK-9: distinguishing deltas from snapshots (DEC-11)', () => {
  it('deltas are appended: at most 1 error in 100,000', () => {
    const wrong = wrongOnes((list) => read('content', list) === list.join(''), MANY_RUNS);
    expect(wrong.length, `seed ${SEED}: ${JSON.stringify(wrong[0])}`).toBeLessThanOrEqual(1);
  });

  it('snapshots under full_output replace the text: no error', () => {
    const wrong = wrongOnes((list) => read('full_output', snapshotsOf(list)) === list.join(''));
    expect(wrong, `seed ${SEED}`).toEqual([]);
  });

  it('snapshots under content replace the text, except in very short streams', () => {
    const wrong = wrongOnes(
      (list) => list.length <= 3 || read('content', snapshotsOf(list)) === list.join(''),
    );
    expect(wrong, `seed ${SEED}`).toEqual([]);
  });

  it('snapshots that rewrite earlier text replace it: no error', () => {
    const wrong = wrongOnes((list) => {
      const snapshots = snapshotsOf(list).filter((text) => text.length > 40);
      const last = snapshots.at(-1);
      if (last === undefined || snapshots.length < 4) return true;
      const cited = `${last.slice(0, 35)} [1]${last.slice(35)}`;
      return read('full_output', [...snapshots, cited]) === cited;
    });
    expect(wrong, `seed ${SEED}`).toEqual([]);
  });

  it('near-identical table rows, one or two per chunk, are appended: no error', () => {
    const row = fc
      .tuple(fc.nat(20), fc.nat(9))
      .map(([a, b]) => `| item ${a} | the same long description of every item | ${b} |\n`);
    const tables = fc.sample(
      fc.array(
        fc.array(row, { minLength: 1, maxLength: 2 }).map((rows) => rows.join('')),
        { minLength: 2, maxLength: 30 },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    expect(
      tables.filter((chunks) => read('content', chunks) !== chunks.join('')),
      `seed ${SEED}`,
    ).toEqual([]);
  });

  it('a wrong start is corrected: three extensions turn an appended text into its snapshot', () => {
    expect(read('content', ['He', 'Hell', 'Hello', 'Hello you'])).toBe('Hello you');
  });
});
