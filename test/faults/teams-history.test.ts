/**
 * The history checker finds no breach in a good run through Teams, and finds every breach that is planted in the record
 * of the run.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { check } from '../fakes/history/check.ts';
import { type History, recordOf } from '../fakes/history/history.ts';
import { idOf, questionOf } from '../fakes/history/saying.ts';
import { settled } from '../fakes/history/settled.ts';
import { openTeamsHouse, type TeamsHouse } from '../fakes/history/teams-house.ts';
import { planted } from './planted.ts';
import { brokenRules, excuses, teamsExcuses } from './planted-excuses.ts';

const RUN_MS = 180_000;

let house: TeamsHouse;
let good: History;

/**
 * Asks five questions in each of two channels: three in one thread, one with a long answer, and one whose answer is
 * interrupted. Also asks one question in a personal chat.
 */
beforeAll(async () => {
  house = await openTeamsHouse();
  const tenant = house.teams.tenant();
  const person = tenant.person({ name: 'Engineer' });
  const team = tenant.team();
  const ask = (nth: number, chars: number, more = {}) =>
    questionOf({ id: idOf(nth), ms: 300, everyMs: 50, chars, ...more });
  const deliveries = [team.channel(), team.channel()].flatMap((channel, which) => {
    const first = person.mentions(channel, ask(which * 100 + 1, 600));
    const thread = first.message.id;
    return [
      first,
      person.mentions(channel, ask(which * 100 + 2, 400), { thread }),
      person.mentions(channel, ask(which * 100 + 3, 500), { thread }),
      person.mentions(channel, ask(which * 100 + 4, 24_000)),
      person.mentions(channel, ask(which * 100 + 5, 2_000, { cutAt: 900 })),
    ];
  });
  const personal = person.says(person.dm(), ask(201, 600, { ms: 3_000 }));
  await Promise.all([...deliveries, personal].map(({ delivery }) => delivery?.done));
  await settled(house, 90_000);
  good = recordOf(house);
}, RUN_MS);
afterAll(() => house?.close());

test('a good run breaks no rule', () => {
  expect(check(good)).toEqual([]);
  expect(good.questions).toHaveLength(11);
  expect(good.askings).toHaveLength(11);
  expect(house.teams.log.of('stream').length).toBeGreaterThan(1);
});

test.each(planted)('finds %s', (_, rule, plant) => {
  const history = plant({ good, opens: 'send' });
  expect(check(history).map((breach) => breach.rule)).toContain(rule);
});

test.each([...excuses, ...teamsExcuses])('excuses: %s', (_, rule, inside, outside) => {
  expect(brokenRules(inside({ good, opens: 'send' }), good)).not.toContain(rule);
  for (const [what, plant] of outside)
    expect(brokenRules(plant({ good, opens: 'send' }), good), what).toContain(rule);
});
