import { expect, test } from 'vitest';
import { createQuestionRate } from '../../../../src/core/intake/rate.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

test('a person may ask so many questions in a sliding minute', async () => {
  const clock = createVirtualClock();
  const rate = createQuestionRate(2, clock);
  let asked = 0;
  const ask = () => {
    asked += 1;
    return rate.allow({ thread: thread(), person: person() }, `q${asked}`);
  };
  expect(ask()).toBe(true);
  await clock.pass(30_000);
  expect([ask(), ask()]).toEqual([true, false]);
  await clock.pass(29_999);
  expect(ask()).toBe(false);
  await clock.pass(1);
  expect([ask(), ask()]).toEqual([true, false]);
});

test('a refused question does not count', async () => {
  const clock = createVirtualClock();
  const rate = createQuestionRate(1, clock);
  let asked = 0;
  const ask = () => {
    asked += 1;
    return rate.allow({ thread: thread(), person: person() }, `q${asked}`);
  };
  expect([ask(), ask(), ask()]).toEqual([true, false, false]);
  await clock.pass(60_000);
  expect(ask()).toBe(true);
});

test('people, tenants and channels are counted apart; a person’s threads together', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  expect(rate.allow({ thread: thread(), person: person() }, 'a question')).toBe(true);
  expect(rate.allow({ thread: thread(), person: person({ id: 'bob' }) }, 'a question')).toBe(true);
  expect(rate.allow({ thread: thread({ tenant: 'umbrella' }), person: person() }, 'a question')).toBe(true);
  expect(rate.allow({ thread: thread({ channel: 'other' }), person: person() }, 'a question')).toBe(true);
  expect(rate.allow({ thread: thread({ room: 'r2', key: 't9' }), person: person() }, 'another')).toBe(false);
});

test('of more than ten thousand people the one who asked longest ago is forgotten', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  for (let each = 0; each <= 10_000; each += 1)
    rate.allow({ thread: thread(), person: person({ id: `p${each}` }) }, 'a question');
  expect(rate.allow({ thread: thread(), person: person({ id: 'p1' }) }, 'another')).toBe(false);
  expect(rate.allow({ thread: thread(), person: person({ id: 'p0' }) }, 'another')).toBe(true);
});

test('a question whose event is told again counts once, and is allowed again', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  const asker = { thread: thread(), person: person() };
  const told = ['a', 'a', 'b', 'a'].map((question) => rate.allow(asker, question));
  expect(told).toEqual([true, true, false, true]);
});
