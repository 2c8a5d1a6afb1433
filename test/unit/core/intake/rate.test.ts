import { expect, test } from 'vitest';
import { createQuestionRate } from '../../../../src/core/intake/rate.ts';
import type { Person, ThreadRef } from '../../../../src/core/message.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

test('a person may ask a limited number of questions in a sliding minute', async () => {
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

test('people, tenants and channels count separately; a person’s threads count together', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  let asked = 0;
  // Asks a new question each time, because a repeated one is always allowed.
  const ask = (where: Partial<ThreadRef>, who: Partial<Person> = {}) => {
    asked += 1;
    return rate.allow({ thread: thread(where), person: person(who) }, `question ${asked}`);
  };
  const apart = () => [
    ask({}),
    ask({}, { id: 'bob' }),
    ask({ tenant: 'umbrella' }),
    ask({ channel: 'other' }),
  ];
  expect(apart()).toEqual([true, true, true, true]);
  expect(apart()).toEqual([false, false, false, false]);
  expect([ask({ room: 'r2' }), ask({ key: 't9' }), ask({ kind: 'direct' })]).toEqual([false, false, false]);
});

test.each([
  ['back', -3_600_000],
  ['forward', 3_600_000],
])('a clock set %s by an hour neither blocks a person nor lifts the limit (fault F33)', async (_, ms) => {
  const clock = createVirtualClock();
  const rate = createQuestionRate(2, clock);
  let asked = 0;
  const ask = () => {
    asked += 1;
    return rate.allow({ thread: thread(), person: person() }, `question ${asked}`);
  };
  expect([ask(), ask(), ask()]).toEqual([true, true, false]);
  clock.jump(ms);
  expect([ask(), ask(), ask()]).toEqual([true, true, false]);
  await clock.pass(60_000);
  expect([ask(), ask(), ask()]).toEqual([true, true, false]);
});

test('beyond ten thousand people, the one who asked longest ago is dropped', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  for (let each = 0; each <= 10_000; each += 1)
    rate.allow({ thread: thread(), person: person({ id: `p${each}` }) }, 'a question');
  expect(rate.allow({ thread: thread(), person: person({ id: 'p1' }) }, 'another')).toBe(false);
  expect(rate.allow({ thread: thread(), person: person({ id: 'p0' }) }, 'another')).toBe(true);
});

test('a repeated event of a question counts once and is allowed again', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  const asker = { thread: thread(), person: person() };
  const told = ['a', 'a', 'b', 'a'].map((question) => rate.allow(asker, question));
  expect(told).toEqual([true, true, false, true]);
});

test('ten thousand people are kept; the one who asked longest ago is dropped first', () => {
  const rate = createQuestionRate(1, createVirtualClock());
  let asked = 0;
  const ask = (id: string) => {
    asked += 1;
    return rate.allow({ thread: thread(), person: person({ id }) }, `question ${asked}`);
  };
  expect([ask('first'), ask('second')]).toEqual([true, true]);
  for (let nth = 0; nth < 9_998; nth += 1) ask(`p${nth}`);
  // Both are still remembered among ten thousand people. "second" asked longest ago, so the next new person replaces
  // it.
  expect(ask('first')).toBe(false);
  expect(ask('one more')).toBe(true);
  expect([ask('first'), ask('second')]).toEqual([false, true]);
});
