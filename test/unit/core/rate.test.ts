import { expect, test } from 'vitest';
import { createQuestionRate } from '../../../src/core/rate.ts';
import { person, thread } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

test('a person may ask so many questions in a sliding minute', async () => {
  const clock = createVirtualClock();
  const rate = createQuestionRate(2, clock);
  const ask = () => rate.allow(thread(), person());
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
  const ask = () => rate.allow(thread(), person());
  expect([ask(), ask(), ask()]).toEqual([true, false, false]);
  await clock.pass(60_000);
  expect(ask()).toBe(true);
});

test('people, tenants and channels are counted apart; a person’s threads together', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  expect(rate.allow(thread(), person())).toBe(true);
  expect(rate.allow(thread(), person({ id: 'bob' }))).toBe(true);
  expect(rate.allow(thread({ tenant: 'umbrella' }), person())).toBe(true);
  expect(rate.allow(thread({ channel: 'other' }), person())).toBe(true);
  expect(rate.allow(thread({ room: 'r2', key: 't9' }), person())).toBe(false);
});

test('of more than ten thousand people the one who asked longest ago is forgotten', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  for (let each = 0; each <= 10_000; each += 1) rate.allow(thread(), person({ id: `p${each}` }));
  expect(rate.allow(thread(), person({ id: 'p1' }))).toBe(false);
  expect(rate.allow(thread(), person({ id: 'p0' }))).toBe(true);
});
