/** Three replicas on PostgreSQL are restarted one after another while people ask in Slack and in Teams. */

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { check } from '../fakes/history/check.ts';
import { recordOf } from '../fakes/history/history.ts';
import { CONTRACT } from '../fakes/history/kept.ts';
import { missing } from '../fakes/postgres/server.ts';
import { quiet } from './load/quiet.ts';
import { slackPeople } from './load/slack-people.ts';
import { teamsPeople } from './load/teams-people.ts';
import { openTown, type Town } from './load/town.ts';

const RUN_MS = 300_000;
const REPLICAS = 3;
/** Number of people who ask at the same time. */
const PEOPLE = 3;
/** Pause of a person between two questions, in milliseconds. */
const PAUSE_MS = 2_000;
const LONGEST_ANSWER_MS = 3_000;
/**
 * Time that a stopping replica gives running answers, in milliseconds. On a slow machine, some answers need longer and
 * are cut, which is no fault.
 */
const GRACE_MS = 20_000;
/** Bounds for a busy machine, on which the first visible reaction to a question may be late. */
const PATIENT = { ...CONTRACT, noticeMs: 60_000 };

/**
 * Lets several people each ask one question after another, until `isOver` returns true. Resolves with the number of
 * questions.
 */
async function askAlong(town: Town, isOver: () => boolean): Promise<number> {
  const people = { slack: slackPeople(town.slack, 100), teams: teamsPeople(town.teams, 100) };
  let asked = 0;
  const one = async (person: number): Promise<void> => {
    for (let nth = 0; !isOver(); nth += 1) {
      const channel = (person + nth) % 3 === 0 ? 'teams' : 'slack';
      const saying = { ms: ((person + nth) % 6) * (LONGEST_ANSWER_MS / 5), everyMs: 50, chars: 300 };
      const place = {
        workspace: person + nth,
        room: nth,
        person,
        kind: 'room',
        follows: nth % 3 === 1,
      } as const;
      people[channel]({ channel, ...place, saying, retries: false });
      asked += 1;
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: PEOPLE }, (_, person) => one(person)));
  return asked;
}

test.skipIf(missing)(
  'F31 a rolling restart under load loses, doubles and interrupts no answer',
  async () => {
    const args = { events: 100, seed: 7, engine: 'postgres', replicas: REPLICAS, atOnce: 60 } as const;
    const town = await openTown(args);
    try {
      let isOver = false;
      const asking = askAlong(town, () => isOver);
      let longestStopMs = 0;
      for (const replica of town.replicas) {
        await pause(PAUSE_MS);
        const told = Date.now();
        await replica.life.stop();
        longestStopMs = Math.max(longestStopMs, Date.now() - told);
        town.breaks.push(Date.now());
        await replica.start();
      }
      isOver = true;
      const asked = await asking;
      await quiet(town);
      const history = { ...recordOf(town), bounds: PATIENT };
      expect(check(history)).toEqual([]);
      expect(history.questions).toHaveLength(asked);
      // No restart cut off an answer or made a bridge ask a question again.
      const whole = history.askings.filter(({ end }) => end === 'whole');
      if (longestStopMs < GRACE_MS) expect([history.askings.length, whole.length]).toEqual([asked, asked]);
    } finally {
      await town.close();
    }
  },
  RUN_MS,
);
