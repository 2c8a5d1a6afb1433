import { expect, test } from 'vitest';
import { z } from 'zod';
import { AcceptedPresses } from '../../../src/kit/accepted-presses.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { text } from '../../../src/kit/json.ts';
import { createOnce } from '../../../src/kit/once.ts';
import { createKeptList, createOutbox } from '../../../src/kit/outbox.ts';
import { openRefusals } from '../../../src/kit/refusals.ts';
import { createWaitingSigns } from '../../../src/kit/waiting-sign.ts';
import { quiet } from '../../fakes/quiet.ts';
import { message } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';

const DAY_MS = 24 * 60 * 60_000;

function open() {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  return { clock, values, state: memoryKeyed(values, clock) };
}

const words = { decode: text, idOf: (entry: string) => entry };

test('an outbox takes 200 entries, which expire a day after the last change', async () => {
  const { clock, state } = open();
  const outbox = createOutbox(state, 'outbox', words);
  for (let nth = 1; nth <= 200; nth += 1) expect(await outbox.put(`${nth}`)).toBe(`${nth}`);
  expect(await outbox.put('more')).toBeUndefined();
  expect(await outbox.put('1')).toBe('1');
  await outbox.remove('1');
  expect(await outbox.put('more')).toBe('more');
  expect(await outbox.all()).toHaveLength(200);
  await clock.pass(DAY_MS - 1);
  expect(await outbox.all()).toHaveLength(200);
  await clock.pass(1);
  expect(await outbox.all()).toEqual([]);
});

test('an entry is merged with the stored one, and removed only on its condition', async () => {
  const { state } = open();
  const entry = z.object({ id: z.string(), at: z.number() });
  const outbox = createOutbox(state, 'outbox', { decode: entry.parse, idOf: ({ id }) => id });
  await outbox.put({ id: 'a', at: 1 });
  expect(await outbox.put({ id: 'a', at: 2 })).toEqual({ id: 'a', at: 1 });
  expect(await outbox.put({ id: 'a', at: 2 }, ({ id }) => ({ id, at: 3 }))).toEqual({ id: 'a', at: 3 });
  await outbox.remove('a', ({ at }) => at === 1);
  expect(await outbox.all()).toEqual([{ id: 'a', at: 3 }]);
  await outbox.remove('a', ({ at }) => at === 3);
  expect(await outbox.all()).toEqual([]);
});

test('a list of ids has no maximum, and contains each id once', async () => {
  const { state } = open();
  const list = createKeptList(state, 'ids', DAY_MS, 'nobody');
  for (let nth = 1; nth <= 300; nth += 1) await list.put(`${nth}`);
  await list.put('1');
  expect(await list.all()).toHaveLength(300);
});

test('what an earlier version stored is resumed', async () => {
  const { clock, values, state } = open();
  const { thread, id, sender } = message();
  const key = '["refused","acme","general","m1",0]';
  values.set('refusals', [
    { key, refused: { thread, id, sender: { id: sender.id, name: sender.name } }, words: 'No.' },
  ]);
  values.set('accepted presses', ['press T1 C1 U1 1']);
  values.set('press T1 C1 U1 1', 'pressed');
  const place = { tenant: 'T1', room: 'C1', on: '1.5' };
  values.set('hourglasses', [{ ...place, turn: 'first', putAt: clock.now(), id: 'sign' }]);
  const done: unknown[] = [];
  const [background, stopping] = [createBackground(quiet), new AbortController()];
  const host = { clock, state, secrets: state, log: quiet, waits: async () => false };
  const deps = { host, background, signal: stopping.signal };
  const once = createOnce(deps);
  await openRefusals({ ...deps, once, tell: async (refused, note) => void done.push(refused.id, note) });
  const presses = new AcceptedPresses<string>({
    ...deps,
    once,
    acknowledgeMs: 1,
    identify: () => [],
    ownerOf: () => ({ tenant: 'T1', person: 'U1' }),
    decode: text,
    again: async (press) => void done.push(press),
  });
  presses.resume();
  await createWaitingSigns({
    ...deps,
    key: 'hourglasses',
    perMinute: 1,
    placeOf: () => undefined,
    put: async () => ({ kind: 'refused' }),
    async take(sign) {
      done.push(sign);
      return { kind: 'gone' };
    },
  });
  await clock.pass(60_000);
  stopping.abort();
  await background.settle();
  const sign = { ...place, turn: 'first', putAt: expect.any(Number), id: 'sign' };
  // The sign is removed a second time, because the call that posted it might have arrived late.
  expect(new Set(done.map((each) => JSON.stringify(each))).size).toBe(4);
  expect(done).toEqual(expect.arrayContaining([id, 'No.', 'pressed', sign]));
  expect([...values].filter(([, value]) => Array.isArray(value) && value.length > 0)).toEqual([]);
});
