/**
 * Tests an agent of the Open API whose sign-in is refused (F14), or whose sessions the platform has forgotten (F16).
 * The fault load causes the same faults.
 */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse } from '../fakes/history/house.ts';
import { type Asked, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { visibleText } from '../fakes/slack/index.ts';
import { breachesOf } from './breaches.ts';

const RUN_MS = 120_000;
const LOST = 'The agent lost the earlier conversation';

let house: House;
let scene: Scene;
beforeAll(async () => {
  house = await openHouse();
  scene = openScene(house, 0);
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

const read = (asked: Asked): string => scene.replies(asked).map(visibleText).join('\n');

/** Asks a question, by default in a new room. Resolves when the whole answer or a named failure is visible. */
async function ended(room = scene.room(), thread?: string): Promise<Asked> {
  const place = { agent: 'member', ...(thread !== undefined && { thread }) };
  const asked = scene.ask(room, { ms: 200, chars: 300 }, place);
  await until('it is answered or failed', () => /end of canary=|\(Reference/.test(read(asked)));
  return asked;
}

/**
 * Asks questions until a sign-in is refused, because earlier questions may still use a valid token. Resolves with the
 * last question.
 */
async function refusedOnce(plant: () => void): Promise<Asked> {
  const { member } = house.platform;
  const refusals = member.refusedAt.length;
  for (;;) {
    plant();
    const asked = await ended();
    if (member.refusedAt.length > refusals) return asked;
  }
}

test(
  "F14 the platform's clock is ten minutes ahead: the sign-in is repeated with its time",
  async () => {
    const { member } = house.platform;
    member.setClock(10 * 60_000);
    const asked = await refusedOnce(() => undefined);
    member.setClock(0);
    expect(read(asked)).toContain(`end of canary=${asked.id}`);
    expect(house.life().log()).toContain(
      'the clocks of the bridge and of the platform differ by more than a minute',
    );
  },
  RUN_MS,
);

test(
  'F14 the token endpoint is down: a named failure with Retry, and the agent is not asked',
  async () => {
    const { member, askings } = house.platform;
    const asked = await refusedOnce(() => member.signInDown(60_000));
    member.signInDown(0);
    expect(read(asked)).toMatch(/\(Reference [0-9a-f]{8}\)/);
    expect(askings.filter(({ id }) => id === asked.id)).toEqual([]);
  },
  RUN_MS,
);

test(
  'F16 the platform forgot the session: the question is asked once more, in a new session, and the reply says so',
  async () => {
    const room = scene.room();
    const first = await ended(room);
    house.platform.member.forgetSessions();
    const second = await ended(room, first.message.ts);
    await settled(house);
    const askings = house.platform.askings.filter(({ id }) => id === second.id);
    expect(askings.map(({ fault }) => fault)).toEqual(['F16', undefined]);
    expect(read(second)).toContain(LOST);
    expect(await breachesOf(house)).toEqual([]);
  },
  RUN_MS,
);
