/** Tests repeated, late, forged and reordered events (F23 to F25). */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Breach, check } from '../fakes/history/check.ts';
import { recordOf } from '../fakes/history/history.ts';
import { type House, openHouse } from '../fakes/history/house.ts';
import { idOf, questionOf } from '../fakes/history/saying.ts';
import { type Asked, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { sign, visibleText } from '../fakes/slack/index.ts';
import { breachesOf } from './breaches.ts';

const RUN_MS = 180_000;
const MINUTE_MS = 60_000;
/**
 * Maximum wait for a run to settle, in milliseconds, even on a busy machine. Breaches that remain then are reported.
 */
const SETTLED_MS = 45_000;

/** True for breaches of all rules but `order`, because reordered events are answered as they arrive. */
const notOrder = ({ rule }: Breach): boolean => rule !== 'order';

let house: House;
beforeAll(async () => {
  house = await openHouse({ tenants: 8 });
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

/** The events of a message, as Slack sent them. */
const eventsOf = ({ message }: Asked) =>
  house.slack.deliveries
    .map(({ payload }) => payload)
    .filter((payload) => (payload.event as { ts?: string } | undefined)?.ts === message.ts);

/** Sends an event again. Resolves with the status of the response. */
async function send(payload: object, at = Date.now()): Promise<number> {
  const body = JSON.stringify(payload);
  const headers = { 'content-type': 'application/json', ...sign(house.slack.app.signingSecret, body, at) };
  return (await fetch(`${house.url}/slack/events`, { method: 'POST', headers, body })).status;
}

const breachesIn = (...rooms: readonly { id: string }[]): readonly Breach[] =>
  check(recordOf(house)).filter(({ where }) => rooms.some(({ id }) => where.includes(id)));
const askingsOf = ({ id }: Asked) => house.platform.askings.filter((asking) => asking.id === id);
const read = (scene: Scene, asked: Asked): string => scene.replies(asked).map(visibleText).join('\n');

test(
  'F23 each event four times, three at once and one after a restart: one answer',
  async () => {
    const scene = openScene(house, 0);
    const room = scene.room();
    const asked = scene.ask(room, { ms: 500 });
    await scene.begun(asked);
    const events = eventsOf(asked);
    expect(events).toHaveLength(2);
    for (const event of events) expect(await Promise.all([send(event), send(event)])).toEqual([200, 200]);
    await settled(house, SETTLED_MS, notOrder);
    await house.life().stop();
    await house.start();
    for (const event of events) expect(await send(event)).toBe(200);
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(askingsOf(asked)).toHaveLength(1);
    expect(scene.replies(asked)).toHaveLength(1);
  },
  RUN_MS,
);

test(
  'F24 a replay after six minutes and an event from the future are refused, and no agent is asked',
  async () => {
    const scene = openScene(house, 1);
    const room = scene.room();
    const id = idOf(900_000);
    const message = scene.person.mentions(room, questionOf({ id, ms: 300, everyMs: 50, chars: 300 }), {
      silent: true,
    });
    const event = {
      type: 'app_mention',
      user: scene.person.id,
      channel: room.id,
      ts: message.ts,
      text: message.text,
      event_ts: message.ts,
    };
    const payload = {
      type: 'event_callback',
      team_id: scene.workspace.id,
      api_app_id: house.slack.app.id,
      event_id: 'EvReplayed',
      event_time: 1,
      event,
    };
    expect(await send(payload, Date.now() - 6 * MINUTE_MS)).toBe(401);
    expect(await send(payload, Date.now() + 6 * MINUTE_MS)).toBe(401);
    expect(house.platform.askings.filter((asking) => asking.id === id)).toEqual([]);
    expect(scene.replies({ id, room, message })).toEqual([]);
    expect(await send(payload)).toBe(200);
    await until('it is answered', () => read(scene, { id, room, message }).includes(`end of canary=${id}`));
  },
  RUN_MS,
);

test(
  'F25 two messages within 10 ms, and echoes of all replies: each is answered once, one after the other',
  async () => {
    const scene = openScene(house, 2);
    const room = scene.room();
    const root = scene.ask(room, { ms: 400 });
    const follow = [1, 2].map(() => scene.ask(room, { ms: 300 }, { thread: root.message.ts }));
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room).filter(notOrder)).toEqual([]);
    for (const asked of [root, ...follow]) expect(askingsOf(asked)).toHaveLength(1);
  },
  RUN_MS,
);

test(
  'F25 three questions of a thread that arrive within milliseconds, the first one last, are answered in their order',
  async () => {
    const scene = openScene(house, 3);
    const room = scene.room();
    // Events that Slack sends now are lost.
    house.slack.events.use(async (_, attempt) => {
      attempt.status = 200;
    });
    const first = scene.ask(room, { ms: 300 });
    const [second, third] = [1, 2].map(() => scene.ask(room, { ms: 300 }, { thread: first.message.ts }));
    const arriving = [second, third, first].filter((asked) => asked !== undefined);
    house.slack.deliverTo(`${house.url}/slack/events`);
    const statuses = await Promise.all(
      arriving.flatMap((asked) => eventsOf(asked).map((event) => send(event))),
    );
    expect(statuses).toEqual(Array(6).fill(200));
    await settled(house, SETTLED_MS);
    expect(breachesIn(room)).toEqual([]);
    for (const asked of arriving) expect(askingsOf(asked)).toHaveLength(1);
  },
  RUN_MS,
);

test(
  'F25 an edit during the answer and one after it: the newest text is answered in the same reply',
  async () => {
    const scene = openScene(house, 5);
    const room = scene.room();
    const mention = `<@${scene.workspace.botUser}>`;
    const rewritten = (nth: number) =>
      `${mention} ${questionOf({ id: idOf(910_000 + nth), ms: 400, everyMs: 50, chars: 500 })}`;
    const during = scene.ask(room, { ms: 3_000, chars: 3_000 });
    await scene.begun(during);
    scene.person.edits(during.message, rewritten(1));
    const after = scene.ask(room, { ms: 200, chars: 400 });
    await until('it is whole', () => read(scene, after).includes(`end of canary=${after.id}`));
    scene.person.edits(after.message, rewritten(2));
    await until(
      'both are asked anew',
      () => house.platform.askings.filter(({ id }) => id > idOf(910_000)).length === 2,
    );
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(read(scene, during)).not.toContain(during.id);
  },
  RUN_MS,
);

test.each(['room', 'direct'] as const)(
  'F25 an edit that arrives before its question (%s): only the newest text is answered',
  async (kind) => {
    const scene = openScene(house, 7);
    const room = kind === 'room' ? scene.room() : scene.person.dm();
    // Events that Slack sends now are lost.
    house.slack.events.use(async (_, attempt) => {
      attempt.status = 200;
    });
    const asked = scene.ask(room, { ms: 300 });
    house.slack.deliverTo(`${house.url}/slack/events`);
    const id = idOf(kind === 'room' ? 920_001 : 920_002);
    const words = questionOf({ id, ms: 300, everyMs: 50, chars: 400 });
    scene.person.edits(asked.message, kind === 'room' ? `<@${scene.workspace.botUser}> ${words}` : words);
    const newest = { ...asked, id };
    await until('it is whole', () => read(scene, newest).includes(`end of canary=${id}`));
    const [event] = eventsOf(asked);
    expect(event && (await send(event))).toBe(200);
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(askingsOf(asked)).toEqual([]);
    expect(askingsOf(newest)).toHaveLength(1);
    expect(scene.replies(asked)).toHaveLength(1);
  },
  RUN_MS,
);

test(
  'F25 a question that is deleted while it waits, during or after its answer removes its reply',
  async () => {
    const scene = openScene(house, 6);
    const room = scene.room();
    const done = scene.ask(room, { ms: 200 });
    await until('it is whole', () => read(scene, done).includes(`end of canary=${done.id}`));
    const running = scene.ask(room, { ms: 4_000 });
    const waiting = scene.ask(room, { ms: 300 }, { thread: running.message.ts });
    await scene.begun(running);
    for (const { message } of [done, waiting, running]) scene.person.deletes(message);
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(askingsOf(waiting)).toEqual([]);
  },
  RUN_MS,
);

test('the whole history keeps the contract', async () => {
  expect(await breachesOf(house, 0, notOrder)).toEqual([]);
});
