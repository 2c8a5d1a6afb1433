/** Tests the stored sign-ins that are under way. */

import { expect, test } from 'vitest';
import { createRequests } from '../../../../adapters/teams/single-sign-on/requests.ts';
import { memoryKeyed } from '../../slack/keyed.ts';

const signer = { tenant: 'acme', room: 'chat', person: 'ada' };
const request = {
  person: 'ada',
  turn: 'turn-1',
  thread: { tenant: 'acme', room: 'chat', key: 'chat', kind: 'direct' },
} as const;

test('of calls at the same time, one takes a state, and only its person can', async () => {
  const requests = createRequests(memoryKeyed());
  const { exchange, state } = await requests.issue(request);
  expect(await requests.takeState({ ...signer, person: 'eve' }, state)).toBeUndefined();
  expect(await requests.takeState({ ...signer, tenant: 'other' }, state)).toBeUndefined();
  expect(await requests.takeState(signer, exchange)).toBeUndefined();
  const taken = await Promise.all(Array.from({ length: 10 }, () => requests.takeState(signer, state)));
  expect(taken.filter((each) => each !== undefined)).toEqual([request]);
});

test('the end of a turn does not end the wait of the next turn', async () => {
  const requests = createRequests(memoryKeyed());
  await requests.open(request);
  await requests.open({ ...request, turn: 'turn-2' });
  await requests.close(request);
  expect(await requests.waiting(signer)).toBe('turn-2');
  await requests.close({ ...request, turn: 'turn-2' });
  expect(await requests.waiting(signer)).toBeUndefined();
});

test('a card is forgotten alone, and of many cards the latest are remembered', async () => {
  const requests = createRequests(memoryKeyed());
  for (let nth = 0; nth < 30; nth += 1) await requests.addCard(request, `${nth}`);
  const cards = await requests.cards(signer);
  expect(cards.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, nth) => `${nth + 10}`));
  await requests.dropCard(signer, { turn: 'turn-1', id: '12' });
  expect((await requests.cards(signer)).map(({ id }) => id)).not.toContain('12');
  expect(await requests.cards(signer)).toHaveLength(19);
});

test.each([
  '',
  'x',
  '../',
  '00000000-0000-4000-8000-00000000000',
  'x'.repeat(1_000_000),
])('an id that the bridge did not make is not looked up: %#', async (id) => {
  const state = memoryKeyed();
  const fail = () => Promise.reject(new Error('looked up'));
  const requests = createRequests({ ...state, get: fail, change: fail });
  expect(await requests.exchange(signer, id)).toBeUndefined();
  expect(await requests.takeExchange(signer, id)).toBeUndefined();
  expect(await requests.takeState(signer, id)).toBeUndefined();
});
