import { expect, test } from 'vitest';
import { createStoringAgain } from '../../../src/kit/storing-again.ts';
import { storeUnavailable } from '../../../src/sqlite.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

/** A store that refuses everything while it is down. */
function open() {
  const clock = createVirtualClock();
  const state = { isDown: false, isStopping: false, attempts: 0 };
  const stored: string[] = [];
  const storing = createStoringAgain({ clock, log: quiet, stopping: () => state.isStopping });
  const store = (event: string) =>
    storing.try(async () => {
      state.attempts += 1;
      if (state.isDown) throw storeUnavailable(new Error('no connection'));
      stored.push(event);
      return event;
    });
  return { clock, state, stored, storing, store };
}
const REFUSED = { code: 'store-unavailable' };

test('events that the store refused are stored in order when it is back, without another delivery', async () => {
  const { clock, state, stored, store } = open();
  state.isDown = true;
  for (const event of ['1', '2', '3']) await expect(store(event)).rejects.toMatchObject(REFUSED);
  await clock.pass(10_000);
  expect(stored).toEqual([]);
  state.isDown = false;
  await clock.pass(1_000);
  expect(stored).toEqual(['1', '2', '3']);
});

test('an event that arrives when the store is back is stored after the refused ones', async () => {
  const { state, stored, store } = open();
  state.isDown = true;
  await expect(store('earlier')).rejects.toMatchObject(REFUSED);
  state.isDown = false;
  expect(await store('later')).toBe('later');
  expect(stored).toEqual(['earlier', 'later']);
});

test('an outage costs four attempts a second, whatever the number of events; after a minute they are dropped', async () => {
  const { clock, state, stored, store } = open();
  state.isDown = true;
  await Promise.all(['1', '2', '3'].map((event) => store(event).catch(() => undefined)));
  state.attempts = 0;
  await clock.pass(10_000);
  expect(state.attempts).toBeLessThanOrEqual(40);
  await clock.pass(60_000);
  state.isDown = false;
  await clock.pass(10_000);
  expect(stored).toEqual([]);
});

test('the events are left to the channel when the bridge stops', async () => {
  const { clock, state, stored, store } = open();
  state.isDown = true;
  await expect(store('1')).rejects.toMatchObject(REFUSED);
  state.isStopping = true;
  state.isDown = false;
  await clock.pass(1_000);
  expect(stored).toEqual([]);
});

test('another failure is neither repeated nor hidden', async () => {
  const { clock, storing } = open();
  let attempts = 0;
  const fail = async () => {
    attempts += 1;
    throw new Error('damaged');
  };
  await expect(storing.try(fail)).rejects.toThrow('damaged');
  await clock.pass(10_000);
  expect(attempts).toBe(1);
});

test('an event that the store refuses again, while it takes the others, is stored later; also in a second outage', async () => {
  const { clock, storing } = open();
  const refusing = new Set<string>();
  const stored: string[] = [];
  const store = async (event: string) => {
    if (refusing.has(event)) throw storeUnavailable(new Error('no connection'));
    stored.push(event);
  };
  for (const outage of ['a', 'b']) {
    const events = ['1', '2', '3'].map((nth) => `${outage}${nth}`);
    for (const event of events) refusing.add(event);
    for (const event of events) await storing.try(() => store(event)).catch(() => undefined);
    refusing.delete(`${outage}1`);
    refusing.delete(`${outage}3`);
    await clock.pass(1_000);
    expect(stored.splice(0)).toEqual([`${outage}1`, `${outage}3`]);
    refusing.clear();
    await clock.pass(1_000);
    expect(stored.splice(0)).toEqual([`${outage}2`]);
    await clock.pass(60_000);
  }
});
