import { expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { CoreEvent } from '../../../src/core/turn-events.ts';
import { createJournal } from '../../../src/observe/journal.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';

/** A store in memory that keeps values as JSON. */
function memory() {
  const kept = new Map<string, string>();
  return {
    kept,
    get: async (key: string): Promise<unknown> => JSON.parse(kept.get(key) ?? 'null'),
    set: async (key: string, value: unknown) => void kept.set(key, JSON.stringify(value)),
    delete: async (key: string) => void kept.delete(key),
  };
}

const event = (turn: string, at: number, name: CoreEvent['name'] = 'move'): CoreEvent => ({
  turn: turnId(turn),
  at,
  name,
  detail: {},
});
const failed = (error: unknown): never => {
  throw error;
};

it('returns the events of a reply, also after a restart', async () => {
  const store = memory();
  const journal = createJournal(store, failed);
  const events = [event('a', 1, 'kept'), event('a', 2, 'claimed'), event('a', 3, 'settled')];
  for (const each of events) journal.turnEvents.record(each);
  expect(await journal.receipt(turnId('a'))).toEqual(events);
  await journal.flush();
  expect(await createJournal(store, failed).receipt(turnId('a'))).toEqual(events);
  expect(await journal.receipt(turnId('unknown'))).toEqual([]);
});

it('keeps the first and the newest events of a long turn', async () => {
  const journal = createJournal(memory(), failed);
  for (let at = 0; at < 1_000; at++) journal.turnEvents.record(event('a', at));
  const receipt = await journal.receipt(turnId('a'));
  expect(receipt).toHaveLength(200);
  expect(receipt[0]?.at).toBe(0);
  expect(receipt.at(-1)?.at).toBe(999);
});

it('forgets the oldest turns', async () => {
  const journal = createJournal(memory(), failed);
  for (let turn = 0; turn < 10_001; turn++) journal.turnEvents.record(event(`t${turn}`, turn));
  expect(await journal.receipt(turnId('t0'))).toEqual([]);
  expect(await journal.receipt(turnId('t1'))).toHaveLength(1);
});

it('keeps all events of 3,000 turns that run at the same time', async () => {
  const journal = createJournal(memory(), failed);
  for (const at of [1, 2])
    for (let turn = 0; turn < 3_000; turn++) journal.turnEvents.record(event(`t${turn}`, at));
  expect(await journal.receipt(turnId('t0'))).toHaveLength(2);
});

it('reads an ended turn from the store, because its events have left the memory', async () => {
  const store = memory();
  const journal = createJournal(store, failed);
  journal.turnEvents.record(event('a', 1, 'settled'));
  expect(await journal.receipt(turnId('a'))).toHaveLength(1);
  await journal.flush();
  store.kept.clear();
  expect(await journal.receipt(turnId('a'))).toEqual([]);
});

it('reports a failing store and continues', async () => {
  const told: unknown[] = [];
  const store = { ...memory(), set: () => Promise.reject(new Error('full')) };
  const journal = createJournal(store, (error) => told.push(error));
  journal.turnEvents.record(event('a', 1, 'settled'));
  await journal.flush();
  expect(told).toHaveLength(1);
  expect(await journal.receipt(turnId('a'))).toHaveLength(1);
});

it('returns the receipt of the process that ran the turn, if this one only stored its question', async () => {
  const store = memory();
  const [stored, ran] = [createJournal(store, failed), createJournal(store, failed)];
  stored.turnEvents.record(event('a', 1, 'kept'));
  expect(await stored.receipt(turnId('a'))).toHaveLength(1);
  for (const each of [event('a', 2, 'claimed'), event('a', 3, 'settled')]) ran.turnEvents.record(each);
  await ran.flush();
  expect((await stored.receipt(turnId('a'))).map(({ name }) => name)).toEqual(['claimed', 'settled']);
});

it('keeps a timeline for a day', async () => {
  const clock = createVirtualClock();
  const journal = createJournal(memoryKeyed(undefined, clock), failed);
  journal.turnEvents.record(event('a', 1, 'settled'));
  await journal.flush();
  await clock.pass(24 * 3_600_000 - 1);
  expect(await journal.receipt(turnId('a'))).toHaveLength(1);
  await clock.pass(1);
  expect(await journal.receipt(turnId('a'))).toEqual([]);
});
