import { expect, test } from 'vitest';
import type { TeamsPlace } from '../../../../adapters/teams/activity.ts';
import { createPlaces } from '../../../../adapters/teams/receive/places.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../../slack/keyed.ts';

const CHAT: TeamsPlace = {
  tenant: 'T1',
  conversation: '19:meeting@thread.v2',
  kind: 'group',
  serviceUrl: 'https://smba.trafficmanager.net/emea/',
  bot: '28:bot',
};
const thread = { tenant: 'T1', room: CHAT.conversation, key: CHAT.conversation, kind: 'group' } as const;

/** Opens the places of two processes on one store. */
function rigged() {
  const clock = createVirtualClock();
  const values = memoryKeyed();
  const store = { down: false, writes: 0 };
  const state = {
    ...values,
    get: async (key: string) => {
      if (store.down) throw new Error('no store');
      return values.get(key);
    },
    set: async (...given: Parameters<typeof values.set>) => {
      store.writes += 1;
      return values.set(...given);
    },
  };
  const hosts = { graph: '', serviceOf: () => 'connector' as const };
  const open = () => createPlaces(state, hosts, clock);
  return { clock, store, one: open(), other: open() };
}

test('a conversation that another process forgot and learned again is stored again', async () => {
  const { clock, one, other } = rigged();
  await other.remember(CHAT);
  await one.forget('T1', CHAT.conversation);
  await clock.pass(60_000);
  expect(await other.find(thread)).toBeUndefined();
  await other.remember({ ...CHAT, serviceUrl: 'https://smba.trafficmanager.net/amer/' });
  expect(await one.find(thread)).toMatchObject({ serviceUrl: 'https://smba.trafficmanager.net/amer/' });
});

test('a known conversation is written once a week', async () => {
  const { clock, store, one, other } = rigged();
  await one.remember({ ...CHAT, name: 'Planning' });
  for (let hour = 0; hour < 48; hour++) {
    await clock.pass(3_600_000);
    await one.remember(CHAT);
    await other.remember(CHAT);
  }
  expect(store.writes).toBe(1);
  await clock.pass(6 * 24 * 3_600_000);
  await other.remember(CHAT);
  expect(store.writes).toBe(2);
  expect(await one.find(thread)).toMatchObject({ name: 'Planning' });
});

test('a known conversation is found while the store fails', async () => {
  const { clock, store, one } = rigged();
  await one.remember(CHAT);
  await clock.pass(3_600_000);
  store.down = true;
  expect(await one.find(thread)).toMatchObject({ serviceUrl: CHAT.serviceUrl });
});

test('the newest name of a conversation counts, and an event without a name keeps it', async () => {
  const { one, other } = rigged();
  await one.remember({ ...CHAT, name: 'Planning' });
  await one.remember({ ...CHAT, name: 'Plans' });
  expect(await one.find(thread)).toMatchObject({ name: 'Plans' });
  await other.remember(CHAT);
  expect(await other.find(thread)).toMatchObject({ name: 'Plans' });
});

test('a conversation belongs to its organization, and is forgotten at once and alone', async () => {
  const { one } = rigged();
  const [elsewhere, longer] = [
    { ...CHAT, tenant: 'T12' },
    { ...CHAT, conversation: `${CHAT.conversation}2` },
  ];
  await one.remember({ ...CHAT, name: 'Planning' });
  expect(await one.room('T12', CHAT.conversation)).toBeUndefined();
  for (const each of [elsewhere, longer]) await one.remember(each);
  expect(await one.room('T12', CHAT.conversation)).not.toHaveProperty('name');
  await one.forget('T1', CHAT.conversation);
  expect(await one.find(thread)).toBeUndefined();
  expect(await one.room('T12', CHAT.conversation)).toBeDefined();
  expect(await one.room('T1', longer.conversation)).toBeDefined();
});

test('a closed channel, and a closed thread in it, are opened by their next events', async () => {
  const { one } = rigged();
  const channel: TeamsPlace = { ...CHAT, conversation: '19:c@thread.tacv2', kind: 'room' };
  const threadOf = (key: string) =>
    ({ tenant: 'T1', room: channel.conversation, key, kind: 'room' }) as const;
  const inThread = (key: string) => ({
    ...channel,
    conversation: `${channel.conversation};messageid=${key}`,
  });
  await one.remember(inThread('1'));
  for (const each of [channel, inThread('1'), inThread('2')]) await one.close(each);
  expect(await one.room('T1', channel.conversation)).toBeUndefined();
  await one.remember(inThread('1'));
  expect(await one.room('T1', channel.conversation)).toBeDefined();
  expect(await one.find(threadOf('1'))).toBeDefined();
  expect(await one.find(threadOf('2'))).toBeUndefined();
});

test('a conversation that another process forgot is not found while the store fails', async () => {
  const { clock, store, one, other } = rigged();
  await one.remember(CHAT);
  await other.forget('T1', CHAT.conversation);
  await clock.pass(60_000);
  expect(await one.find(thread)).toBeUndefined();
  store.down = true;
  await expect(one.find(thread)).rejects.toThrow('no store');
});
