/** Events of Teams that are repeated, late, forged, or out of order (F23 to F25). */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Breach, check } from '../fakes/history/check.ts';
import { recordOf } from '../fakes/history/history.ts';
import { idOf, questionOf } from '../fakes/history/saying.ts';
import { until } from '../fakes/history/scene.ts';
import { settled } from '../fakes/history/settled.ts';
import { openTeamsHouse, type TeamsHouse } from '../fakes/history/teams-house.ts';
import { openTeamsScene, type TeamsAsked, type TeamsScene } from '../fakes/history/teams-scene.ts';
import type { Delivery } from '../fakes/teams/index.ts';
import { breachesOf } from './breaches.ts';

const RUN_MS = 180_000;
/** Maximum duration of a step, in milliseconds: far more than a step takes, even on a busy machine. */
const SETTLED_MS = 45_000;

/** True for breaches of all rules but `order`, because reordered events are answered as they arrive. */
const notOrder = ({ rule }: Breach): boolean => rule !== 'order';

let house: TeamsHouse;
let scene: TeamsScene;
beforeAll(async () => {
  house = await openTeamsHouse();
  scene = openTeamsScene(house);
}, RUN_MS);
afterAll(() => house?.close(), RUN_MS);

const breachesIn = (...rooms: readonly { id: string }[]): readonly Breach[] =>
  check(recordOf(house)).filter(({ where }) => rooms.some(({ id }) => where.includes(id)));
const askingsOf = ({ id }: Pick<TeamsAsked, 'id'>) =>
  house.platform.askings.filter((asking) => asking.id === id);
const read = (asked: TeamsAsked): string =>
  scene
    .replies(asked)
    .map(({ shown }) => shown.text)
    .join('\n');
const told = ({ delivery }: { readonly delivery?: Delivery }): Delivery => {
  if (delivery === undefined) throw new Error('Teams sent no event');
  return delivery;
};
const again = async (asked: TeamsAsked): Promise<number | undefined> =>
  (await house.teams.events.again(told(asked)).done)?.status;
const whole = (asked: TeamsAsked) =>
  until(`${asked.id} is answered`, () => read(asked).includes(`end of canary=${asked.id}`), SETTLED_MS);

test(
  'F23 an event that is repeated three times at once, after a restart, and once more gets one answer',
  async () => {
    for (const room of [scene.team.channel(), scene.tenant.person().dm()]) {
      const by = room.kind === 'personal' ? { by: scene.tenant.known([...room.members][0] ?? '') } : {};
      const asked = scene.ask(room, { ms: 500 }, by);
      await scene.begun(asked);
      expect(await Promise.all([again(asked), again(asked), again(asked)])).toEqual([200, 200, 200]);
      await whole(asked);
      await house.life().stop();
      await house.start();
      expect(await again(asked)).toBe(200);
      const later = scene.ask(room, { ms: 300 }, by);
      await whole(later);
      expect(await again(asked)).toBe(200);
      await settled(house, SETTLED_MS, notOrder);
      expect(breachesIn(room)).toEqual([]);
      expect(askingsOf(asked)).toHaveLength(1);
    }
  },
  RUN_MS,
);

test(
  'F24 a request signed for another time is refused, and no agent is asked',
  async () => {
    const room = scene.team.channel();
    const id = idOf(900_000);
    const words = questionOf({ id, ms: 300, everyMs: 50, chars: 300 });
    const first = scene.ask(room, { ms: 200, chars: 300 });
    const { message } = scene.person.mentions(room, words, { silent: true });
    // Without the HTML copy, which has the words of the first question.
    const { attachments: _, ...activity } = Object(told(first).activity);
    const later = { ...activity, id: message.id, text: message.shown.text };
    const place = { ...Object(activity.conversation), id: `${room.id};messageid=${message.id}` };
    const send = async (how: 'expired' | 'early' | undefined): Promise<number> => {
      const { inbound } = house.teams;
      const event = { ...later, conversation: place };
      const authorization =
        how === undefined ? inbound.authorize(event) : (inbound.bad(how, event).authorization ?? '');
      const headers = { authorization, 'content-type': 'application/json' };
      const body = JSON.stringify(event);
      return (await fetch(`${house.url}/api/messages`, { method: 'POST', headers, body })).status;
    };
    expect(await send('expired')).toBe(401);
    expect(await send('early')).toBe(401);
    await whole(first);
    expect(askingsOf({ id })).toEqual([]);
    expect(await send(undefined)).toBe(200);
    await whole({ id, room, message });
  },
  RUN_MS,
);

test(
  'F25 messages within 10 ms in one thread are each answered once, one after the other',
  async () => {
    const room = scene.team.channel();
    const root = scene.ask(room, { ms: 400 });
    const thread = root.message.id;
    const follow = [1, 2].map(() => scene.ask(room, { ms: 300 }, { thread }));
    for (const asked of [root, ...follow]) await whole(asked);
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room).filter(notOrder)).toEqual([]);
    for (const asked of [root, ...follow]) expect(askingsOf(asked)).toHaveLength(1);
  },
  RUN_MS,
);

test(
  'F25 three questions of a thread that arrive out of order within milliseconds are answered in order',
  async () => {
    for (const room of [scene.team.channel(), scene.tenant.person().dm()]) {
      const by = room.kind === 'personal' ? { by: scene.tenant.known([...room.members][0] ?? '') } : {};
      // The port is closed, so the bridge misses the events.
      house.teams.deliverTo('http://127.0.0.1:9/api/messages');
      const first = scene.ask(room, { ms: 300 }, by);
      const thread = room.kind === 'personal' ? {} : { thread: first.message.id };
      const [second, third] = [1, 2].map(() => scene.ask(room, { ms: 300 }, { ...by, ...thread }));
      const arriving = [second, third, first].filter((asked) => asked !== undefined);
      await Promise.all(arriving.map((asked) => told(asked).done));
      house.teams.deliverTo(`${house.url}/api/messages`);
      expect(await Promise.all(arriving.map(again))).toEqual([200, 200, 200]);
      for (const asked of arriving) await whole(asked);
      await settled(house, SETTLED_MS, notOrder);
      expect(breachesIn(room)).toEqual([]);
    }
  },
  RUN_MS,
);

const mention = (words: string): string => `<at>${house.teams.app.name}</at> ${words}`;

test(
  'F25 edits during and after the answer get the newest text answered in the same reply',
  async () => {
    const room = scene.team.channel();
    const rewritten = (nth: number) =>
      mention(questionOf({ id: idOf(910_000 + nth), ms: 300, everyMs: 50, chars: 400 }));
    const during = scene.ask(room, { ms: 6_000, chars: 3_000 });
    await scene.begun(during);
    scene.person.edits(during.message, rewritten(1));
    const after = scene.ask(room, { ms: 200, chars: 400 });
    await whole(after);
    scene.person.edits(after.message, rewritten(2));
    await until('both are asked anew', () =>
      [1, 2].every((nth) => askingsOf({ id: idOf(910_000 + nth) }).length === 1),
    );
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(read(during)).not.toContain(during.id);
    const texts = (asked: TeamsAsked) => scene.replies(asked).filter(({ shown }) => shown.text !== '');
    for (const asked of [during, after]) expect(texts(asked)).toHaveLength(1);
  },
  RUN_MS,
);

test(
  'F25 an edit while the answer streams into a personal chat ends the stream and is answered in the same message',
  async () => {
    const room = scene.tenant.person().dm();
    const by = scene.tenant.known([...room.members][0] ?? '');
    const id = idOf(910_010);
    const during = scene.ask(room, { ms: 6_000, chars: 3_000 }, { by });
    await scene.begun(during);
    by.edits(during.message, questionOf({ id, ms: 300, everyMs: 50, chars: 400 }));
    await until('it is asked anew', () => askingsOf({ id }).length === 1);
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(read(during)).not.toContain(during.id);
    expect(scene.replies(during).filter(({ shown }) => shown.text !== '')).toHaveLength(1);
  },
  RUN_MS,
);

test.each(['channel', 'personal'] as const)(
  'F25 an edit that arrives before its question (%s): only the newest text is answered',
  async (kind) => {
    const by = scene.tenant.person();
    const room = kind === 'channel' ? scene.team.channel() : by.dm();
    // The port is closed, so the bridge misses the question.
    house.teams.deliverTo('http://127.0.0.1:9/api/messages');
    const asked = scene.ask(room, { ms: 300 }, { by });
    await told(asked).done;
    house.teams.deliverTo(`${house.url}/api/messages`);
    const id = idOf(kind === 'channel' ? 920_001 : 920_002);
    const words = questionOf({ id, ms: 300, everyMs: 50, chars: 400 });
    by.edits(asked.message, kind === 'channel' ? mention(words) : words);
    const newest = { ...asked, id };
    await whole(newest);
    expect(await again(asked)).toBe(200);
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(room)).toEqual([]);
    expect(askingsOf(asked)).toEqual([]);
    expect(askingsOf(newest)).toHaveLength(1);
    expect(read(asked)).toContain(`end of canary=${id}`);
  },
  RUN_MS,
);

test(
  'F25 the deletion of a question during, before or after its answer deletes the reply',
  async () => {
    for (const room of [scene.team.channel(), scene.tenant.chat()]) {
      const done = scene.ask(room, { ms: 200 });
      await whole(done);
      const running = scene.ask(room, { ms: 6_000 });
      const thread = running.message.id;
      const waiting = scene.ask(room, { ms: 300 }, room.kind === 'channel' ? { thread } : {});
      await scene.begun(running);
      for (const { message } of [done, waiting, running]) scene.person.deletes(message);
      await settled(house, SETTLED_MS, notOrder);
      expect(breachesIn(room)).toEqual([]);
      expect(askingsOf(waiting)).toEqual([]);
    }
  },
  RUN_MS,
);

const ROOMS = 20;
/**
 * Number of questions per room. Each question begins a thread, except every third question, which is asked in the
 * previous thread.
 */
const QUESTIONS = 5;

test(
  'S16 100 interleaved turns of chats, groups and threads of channels do not cross',
  async () => {
    const rooms = Array.from({ length: ROOMS }, (_, nth) => {
      if (nth % 4 === 0) return scene.tenant.person().dm();
      return nth % 4 === 1 ? scene.tenant.chat() : scene.team.channel();
    });
    const roots = new Map<string, string>();
    const asked: TeamsAsked[] = [];
    for (let nth = 0; nth < QUESTIONS; nth += 1) {
      for (const room of rooms) {
        const thread = nth % 3 === 2 ? roots.get(room.id) : undefined;
        const owner = room.kind === 'personal' ? [...room.members][0] : undefined;
        const each = scene.ask(
          room,
          { ms: 1_000, chars: 700 },
          {
            ...(room.kind === 'channel' && thread !== undefined && { thread }),
            ...(owner !== undefined && { by: scene.tenant.known(owner) }),
          },
        );
        roots.set(room.id, each.message.root);
        asked.push(each);
      }
      // Teams may deliver simultaneous messages in any order, so a follow-up is written only after all were delivered.
      await Promise.all(house.teams.deliveries.map(({ done }) => done));
    }
    await settled(house, SETTLED_MS, notOrder);
    expect(breachesIn(...rooms)).toEqual([]);
    for (const each of asked) expect(askingsOf(each)).toHaveLength(1);
  },
  RUN_MS,
);

test('no rule was broken in the whole run', async () => {
  expect(await breachesOf(house, 0, notOrder)).toEqual([]);
});
