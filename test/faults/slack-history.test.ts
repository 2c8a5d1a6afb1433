/** Tests that the history checker accepts a good run and finds each planted breach of the delivery contract. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { check } from '../fakes/history/check.ts';
import type { History } from '../fakes/history/history.ts';
import { recordOf } from '../fakes/history/history.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { idOf, questionOf } from '../fakes/history/saying.ts';
import { settled } from '../fakes/history/settled.ts';
import { planted } from './planted.ts';
import { brokenRules, excuses } from './planted-excuses.ts';

const RUN_MS = 180_000;

let house: House;
let good: History;

/**
 * Asks five questions in one room of each of two workspaces: three in one thread, one with a long answer, and one whose
 * answer is interrupted.
 */
beforeAll(async () => {
  house = await openHouse({ tenants: 2 });
  for (const which of [0, 1]) {
    const workspace = house.slack.workspace(which);
    const room = workspace.channel();
    const person = workspace.person();
    const ask = (nth: number, chars: number, more = {}) =>
      questionOf({ id: idOf(which * 100 + nth), ms: 300, everyMs: 50, chars, ...more });
    const { ts: thread } = person.mentions(room, ask(1, 600));
    person.mentions(room, ask(2, 400), { thread });
    person.mentions(room, ask(3, 500), { thread });
    person.mentions(room, ask(4, 14_000));
    person.mentions(room, ask(5, 2_000, { cutAt: 900 }));
  }
  await settled(house, 90_000);
  good = recordOf(house);
}, RUN_MS);
afterAll(() => house?.close());

test('a good run keeps the contract', () => {
  expect(check(good)).toEqual([]);
  expect(good.questions).toHaveLength(10);
  expect(good.askings).toHaveLength(10);
});

test.each(planted)('finds %s', (_, rule, plant) => {
  const history = plant({ good, opens: 'chat.postMessage' });
  expect(check(history).map((breach) => breach.rule)).toContain(rule);
});

test.each(excuses)('excuses: %s', (_, rule, inside, outside) => {
  expect(brokenRules(inside({ good, opens: 'chat.postMessage' }), good)).not.toContain(rule);
  for (const [what, plant] of outside)
    expect(brokenRules(plant({ good, opens: 'chat.postMessage' }), good), what).toContain(rule);
});
