/**
 * Runs 100 concurrent turns in two workspaces with equal room ids and time stamps: no content crosses between them
 * (S16).
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { check } from '../fakes/history/check.ts';
import { recordOf } from '../fakes/history/history.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { openScene } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';

const ROOMS = 10;
/**
 * Number of questions per room. Each question begins a thread, except every third question, which is asked in the
 * previous thread.
 */
const QUESTIONS = 5;
const RUN_MS = 180_000;

let house: House;
beforeAll(async () => {
  house = await openHouse({ tenants: 2 });
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

test(
  'S16: 100 interleaved turns do not mix',
  async () => {
    const { world } = house.slack;
    const scenes = [openScene(house, 0), openScene(house, 1)];
    const rooms = Array.from({ length: ROOMS }, (_, nth) =>
      scenes.map((scene) => scene.room({ id: `C0SAME${String(nth).padStart(4, '0')}` })),
    );
    const own = world.newTs;
    for (let nth = 0; nth < QUESTIONS; nth += 1) {
      for (const pair of rooms) {
        const ts = own();
        pair.forEach((room, which) => {
          const before = room.messages.findLast(({ app, threadTs }) => !app && threadTs === undefined);
          const thread = nth % 3 === 2 ? before?.ts : undefined;
          // Messages in both workspaces have the same time stamps.
          world.newTs = () => ts;
          scenes[which]?.ask(room, { ms: 1_500, chars: 700 }, thread === undefined ? {} : { thread });
          world.newTs = own;
        });
      }
      // Slack may deliver concurrent messages in any order. A follow-up could arrive before its question, so each round
      // waits until the earlier messages are delivered.
      await Promise.all(house.slack.deliveries.map(({ done }) => done));
    }
    await settled(house, 120_000);
    const history = recordOf(house);
    expect(history.questions).toHaveLength(2 * ROOMS * QUESTIONS);
    expect(new Set(history.questions.map(({ channel, ts }) => `${channel} ${ts}`)).size).toBe(
      ROOMS * QUESTIONS,
    );
    expect(history.askings).toHaveLength(2 * ROOMS * QUESTIONS);
    expect(check(history)).toEqual([]);
  },
  RUN_MS,
);
