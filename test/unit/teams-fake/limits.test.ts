/**
 * Tests the rate limits of the fake Teams: per app and thread, for all apps of a thread, and per tenant. Each refusal
 * contains the time to wait.
 */

import { expect, test } from 'vitest';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { type Answer, call, fakeTeams, send, tokenOf, update } from './wire.ts';

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const refused = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 429);
const inTurn = async (count: number, make: (nth: number) => Promise<Answer>) => {
  const answers: Answer[] = [];
  for (let nth = 0; nth < count; nth += 1) answers.push(await make(nth));
  return answers;
};

test('allows 7 sends and edits in a second and 8 in two, for all threads of a channel together', async () => {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock });
  const channel = fake.tenant().team().channel();
  const { body } = await send(fake, channel, {});
  await inTurn(5, () => send(fake, { ...channel, thread: body.id ?? '' }, {}));
  await update(fake, channel, body.id ?? '', { text: 'edited' });
  const over = await send(fake, channel, {});
  expect(over).toMatchObject({ status: 429, code: 'Throttled' });
  expect(over.headers.get('retry-after')).toBe('1');
  await clock.pass(1_000);
  expect(statuses(await inTurn(2, () => send(fake, channel, {})))).toEqual([201, 429]);
  await clock.pass(1_000);
  expect((await send(fake, channel, {})).status).toBe(201);
  expect((await send(fake, fake.tenant().chat(), {})).status).toBe(201);
});

test('allows 60 in 30 seconds and 1,800 in an hour', async () => {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock });
  const chat = fake.tenant().chat();
  const steadily = async (count: number, everyMs: number) =>
    inTurn(count, async () => {
      await clock.pass(everyMs);
      return send(fake, chat, {});
    });
  expect(refused(await steadily(60, 400))).toEqual([]);
  const [next] = await steadily(1, 400);
  expect([next?.status, next?.headers.get('retry-after')]).toEqual([429, '6']);
  await clock.pass(30_000);
  expect(refused(await steadily(1_740, 1_900))).toEqual([]);
  const [last] = await steadily(1, 1_900);
  expect(last?.status).toBe(429);
});

test('counts calls of other apps in a thread', async () => {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock });
  const chat = fake.tenant().chat();
  fake.limiter.others({ tenant: chat.tenant, family: 'send', thread: chat.id }, 12);
  expect(statuses(await inTurn(3, () => send(fake, chat, {})))).toEqual([201, 201, 429]);
});

test('allows 50 calls a second of any kind in a tenant', async () => {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock, tenants: [{}, {}] });
  const tenant = fake.tenant();
  const chats = Array.from({ length: 51 }, () => tenant.chat());
  await tokenOf(fake);
  const answers = await Promise.all(chats.map((chat) => send(fake, chat, {})));
  expect(refused(answers)).toHaveLength(1);
  expect((await send(fake, fake.tenant(1).chat(), {})).status).toBe(201);
});

test('allows 14 look-ups of members in a second', async () => {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock });
  const person = fake.tenant().person();
  const chat = fake.tenant().chat({ members: [person] });
  const ask = () => call(fake, `conversations/${chat.id}/members/${person.aadObjectId}`);
  expect(refused(await inTurn(14, ask))).toEqual([]);
  expect((await ask()).status).toBe(429);
  expect((await send(fake, chat, {})).status).toBe(201);
});

test('applies no limits if they are switched off', async () => {
  const fake = await fakeTeams({ limits: { off: true } });
  const chat = fake.tenant().chat();
  expect(refused(await inTurn(20, () => send(fake, chat, {})))).toEqual([]);
});
