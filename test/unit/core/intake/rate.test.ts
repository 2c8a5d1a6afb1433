import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.ts';
import { createQuestionRate, createSharedRate } from '../../../../src/core/intake/rate.ts';
import type { Person, ThreadRef } from '../../../../src/core/message.ts';
import { createCommits } from '../../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../../src/store/sqlite/database.ts';
import { createKeyed } from '../../../../src/store/sqlite/keyed.ts';
import { quiet } from '../../../fakes/quiet.ts';
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
  // Ten thousand people are remembered, "first" and "second" among them. "second" asked longest ago, so the next new
  // person replaces "second".
  expect(ask('first')).toBe(false);
  expect(ask('one more')).toBe(true);
  expect([ask('first'), ask('second')]).toEqual([false, true]);
});

/** Creates the rates of three processes that share a store. */
function sharedRates(perMinute: number, clock: ReturnType<typeof createVirtualClock>) {
  const { database } = openDatabase(':memory:');
  return [1, 2, 3].map(() => {
    const commits = createCommits({ database, clock: systemClock });
    const stored = createKeyed({ database, commits, clock, log: quiet })('rates');
    return createSharedRate(perMinute, stored, clock);
  });
}

test('processes that share a store limit a person together, except for one question of each further process', async () => {
  const clock = createVirtualClock();
  const rates = sharedRates(10, clock);
  let asked = 0;
  const ask = (count: number, who = person()) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        asked += 1;
        return rates[asked % rates.length]?.allow({ thread: thread(), person: who }, `question ${asked}`);
      }),
    );
  const allowed = async (answers: Promise<readonly unknown[]>) =>
    (await answers).filter((each) => each === true).length;
  const first = await allowed(ask(60));
  expect(first).toBeGreaterThanOrEqual(10);
  expect(first).toBeLessThanOrEqual(12);
  expect(await allowed(ask(3, person({ id: 'another' })))).toBe(3);
  await clock.pass(59_999);
  expect(await allowed(ask(3))).toBe(0);
  await clock.pass(1);
  expect(await allowed(ask(60))).toBeLessThanOrEqual(12);
});

test('questions that are asked one after another at different processes are counted together', async () => {
  const rates = sharedRates(6, createVirtualClock());
  const told: unknown[] = [];
  for (let nth = 0; nth < 12; nth++)
    told.push(await rates[nth % 3]?.allow({ thread: thread(), person: person() }, `question ${nth}`));
  expect(told.map((each) => (each ? 'yes' : 'no')).join(' ')).toBe(
    'yes yes yes yes yes yes no no no no no no',
  );
});

test('a first question in a minute is allowed without the store, and the others while the store fails', async () => {
  const clock = createVirtualClock();
  let changes = 0;
  const change = async () => {
    changes += 1;
    throw new Error('no connection');
  };
  const stored = { get: change, set: change, delete: change, change };
  const rate = createSharedRate(3, stored, clock);
  const ask = (question: string) => rate.allow({ thread: thread(), person: person() }, question);
  expect(await ask('a')).toBe(true);
  expect(changes).toBe(0);
  expect([await ask('b'), await ask('c'), await ask('d')]).toEqual([true, true, false]);
  expect(changes).toBe(2);
});

test('an event that reaches three processes counts as one question', async () => {
  const rates = sharedRates(2, createVirtualClock());
  const ask = (question: string) =>
    Promise.all(rates.map((rate) => rate.allow({ thread: thread(), person: person() }, question)));
  expect(await ask('a')).toEqual([true, true, true]);
  expect(await ask('b')).toEqual([true, true, true]);
  expect(await ask('c')).toEqual([false, false, false]);
  expect(await ask('a')).toEqual([true, true, true]);
});

test.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('a clock set %s by an hour leaves the shared limit in force (fault F33)', async (_, ms) => {
  const clock = createVirtualClock();
  const [rate] = sharedRates(1, clock);
  const ask = (question: string) => rate?.allow({ thread: thread(), person: person() }, question);
  expect([await ask('a'), await ask('b')]).toEqual([true, false]);
  clock.jump(ms);
  expect([await ask('c'), await ask('d')]).toEqual([true, false]);
});

test('people who asked earlier take nobody the place in the store', async () => {
  const clock = createVirtualClock();
  const rates = sharedRates(3, clock);
  const ask = (who: string, nth: number) =>
    rates[nth % rates.length]?.allow({ thread: thread(), person: person({ id: who }) }, `${who} ${nth}`);
  for (let each = 0; each < 10; each += 1) for (const nth of [0, 3, 1]) await ask(`early ${each}`, nth);
  const allowed: unknown[] = [];
  for (let nth = 0; nth < 18; nth += 1) allowed.push(await ask('late', nth));
  // Three questions, and one more of each further process.
  expect(allowed.filter((each) => each === true).length).toBeLessThanOrEqual(5);
});
