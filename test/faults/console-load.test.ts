/**
 * People write in the console through two replicas on PostgreSQL. The checker finds no breach in what the pages of a good
 * run showed, and finds every breach that is planted there. Then replicas and PostgreSQL are killed, paused and cut off:
 * each page shows each message and each answer once, whole and in order, and nothing of rooms that its person may not
 * read.
 *
 * A longer run: `PARLEY_SEED=3 PARLEY_EVENTS=300 npx vitest run test/faults/console-load.test.ts`.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check } from '../fakes/history/check.ts';
import { checkPages, type PagesRun } from '../fakes/history/check-pages.ts';
import type { History } from '../fakes/history/history.ts';
import { idOf, type Saying } from '../fakes/history/saying.ts';
import { nextId } from '../fakes/history/scene.ts';
import { missing } from '../fakes/postgres/server.ts';
import {
  breachesIn,
  type ConsoleTown,
  fileFaults,
  historiesOf,
  openConsoleTown,
  pagesOf,
  settledLogs,
} from './load/console-town.ts';
import type { Planned } from './load/plan.ts';
import { play } from './load/play.ts';
import { planted } from './planted.ts';
import { plantedOnPages, SECRET } from './planted-pages.ts';

const START_MS = 180_000;
const RUN_MS = 900_000;
const seed = Number(process.env.PARLEY_SEED ?? 7);
const events = Number(process.env.PARLEY_EVENTS ?? 24);
/** Number of questions in the good run. */
const GOOD = 11;
/** The ids of these questions are below this number, and those of later questions are above. */
const GOOD_IDS = 300;
/** A message that asks nothing follows every third question. */
const TALK_EVERY = 3;
/** Breaches that need a reply of several messages; a reply of the console is one message. */
const PARTS = ['a beginning that is lost', 'parts in the wrong order'];

describe.skipIf(missing !== undefined)('the console of two replicas', () => {
  let town: ConsoleTown;
  let good: History;
  let pages: PagesRun;

  const ask = (id: string, chars: number, more: Partial<Planned> = {}, saying: Partial<Saying> = {}) =>
    town.people.ask({
      ...{ channel: 'slack', workspace: 0, person: 0, room: 0, kind: 'room', follows: false, retries: false },
      ...more,
      saying: { id, ms: 300, everyMs: 50, chars, ...saying },
    });

  /** Asks the questions of the good runs of other channels, and one in the private room. */
  beforeAll(async () => {
    town = await openConsoleTown();
    for (const room of [0, 1]) {
      const id = (nth: number) => idOf(room * 100 + nth);
      ask(id(1), 600, { room });
      await town.people.sent();
      ask(id(2), 400, { room, follows: true });
      await town.people.sent();
      ask(id(3), 500, { room, follows: true });
      ask(id(4), 8_000, { room });
      ask(id(5), 2_000, { room }, { cutAt: 900 });
    }
    ask(SECRET, 600, { kind: 'group' });
    const logs = await settledLogs(town);
    expect(breachesIn(town, logs)).toEqual([]);
    pages = pagesOf(town, logs);
    const [first] = historiesOf(town, logs);
    if (first !== undefined) good = first;
    while (nextId() < idOf(GOOD_IDS));
  }, START_MS);
  afterAll(() => town?.close());

  test('a good run breaks no rule', () => {
    expect(check(good)).toEqual([]);
    expect(good.questions).toHaveLength(GOOD);
    expect(good.askings).toHaveLength(GOOD);
    expect(checkPages(pages)).toEqual([]);
  });

  test.each(planted.filter(([what]) => !PARTS.includes(what)))('finds %s', (_, rule, plant) => {
    expect(check(plant({ good, opens: 'send' })).map((breach) => breach.rule)).toContain(rule);
  });

  test.each(plantedOnPages)('finds %s', (_, rule, plant) => {
    expect(checkPages(plant(pages)).map((breach) => breach.rule)).toContain(rule);
  });

  test(
    `${events} questions while replicas and PostgreSQL fail, seed ${seed}`,
    async () => {
      await play(
        town,
        { events, seed, atOnce: 30 },
        {
          ask: town.people.ask,
          after(at, random) {
            const kind = random() < 0.5 ? 'room' : 'group';
            const [person, room] = [Math.floor(random() * 10), Math.floor(random() * 10)];
            if (at % TALK_EVERY === 0) town.people.talk({ kind, person, room });
          },
          mend: () => undefined,
        },
      );
      const logs = await settledLogs(town);
      expect(breachesIn(town, logs)).toEqual([]);
      expect(await fileFaults(town)).toEqual([]);
      const { posts } = town.people;
      expect(posts.filter(({ sayings }) => sayings.length > 0)).toHaveLength(GOOD + events);
      expect(posts.filter(({ acceptedAt }) => acceptedAt === undefined)).toEqual([]);
      expect(town.machineFaults.length).toBeGreaterThan(0);
    },
    RUN_MS,
  );
});
