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
    set: async (key: string, value: unknown, ttlMs: number) => {
      store.writes += 1;
      return values.set(key, value, ttlMs, 'nobody');
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
