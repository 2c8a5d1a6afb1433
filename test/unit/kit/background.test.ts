import { expect, test } from 'vitest';
import { createBackground } from '../../../src/kit/background.ts';
import { quiet } from '../../fakes/quiet.ts';

const PIECES = 1_000;

test('many pieces run in order, and settle waits for all of them', async () => {
  const background = createBackground(quiet);
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  for (let nth = 0; nth < PIECES; nth += 1) {
    background.run('a press', async () => {
      begun.push(nth);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      if (nth % 7 === 0) throw new Error('this one fails');
    });
  }
  await background.settle();
  expect(begun).toEqual(Array.from({ length: PIECES }, (_, nth) => nth));
  expect(running).toBe(0);
  expect(most).toBeLessThan(PIECES);
});

test.each([
  ['succeeds', async () => 'done', 'done'],
  ['fails', () => Promise.reject(new Error('fails')), undefined],
  [
    'throws before it returns a promise',
    () => {
      throw new Error('throws');
    },
    undefined,
  ],
])('the result of work that %s is known', async (_how, work: () => Promise<string>, result) => {
  expect(await createBackground(quiet).result('a press', work)).toBe(result);
});
