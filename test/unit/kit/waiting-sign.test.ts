import { expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import { createBackground } from '../../../src/kit/background.ts';
import {
  createWaitingSigns,
  type PostResult,
  type RemovalResult,
  type WaitingSign,
} from '../../../src/kit/waiting-sign.ts';
import { SignList } from '../../../src/kit/waiting-sign-list.ts';
import { quiet } from '../../fakes/quiet.ts';
import { turn } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { never, sharedState } from './killable-state.ts';

const KEY = 'signs';
const FIRST = turn({ id: turnId('first') });
const NEXT = turn({ id: turnId('next') });

interface Channel {
  waits(id: string): Promise<boolean>;
  put(sign: WaitingSign): Promise<PostResult>;
  /** By default, signs are removed at once. */
  take?(): Promise<RemovalResult>;
}

/** Processes that share one store. `taken` contains the entries of the removed signs. */
function bridge() {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  const stateOfProcess = sharedState(values, clock);
  const taken: WaitingSign[] = [];
  const begin = async ({ waits, put, take = async () => ({ kind: 'gone' }) }: Channel) => {
    const { state, kill } = stateOfProcess();
    const stopping = new AbortController();
    const signs = await createWaitingSigns({
      host: { clock, state, log: quiet, waits },
      background: createBackground(quiet),
      signal: stopping.signal,
      key: KEY,
      perMinute: 60,
      placeOf: ({ id }) => ({ tenant: 't', room: 'r', on: id }),
      put,
      async take(sign) {
        taken.push(sign);
        return take();
      },
    });
    return {
      ...signs,
      die() {
        kill();
        stopping.abort();
      },
    };
  };
  return { clock, values, taken, begin };
}

const posted = (id: string) => async (): Promise<PostResult> => ({ kind: 'done', id });

test('a sign is removed by its id, also if a check of all signs began before the id was known', async () => {
  const { clock, values, taken, begin } = bridge();
  const looking = Promise.withResolvers<boolean>();
  const posting = Promise.withResolvers<PostResult>();
  let isStoreSlow = false;
  const signs = await begin({
    waits: (id) => (id === FIRST.id && isStoreSlow ? looking.promise : Promise.resolve(true)),
    put: ({ turn: id }) => (id === NEXT.id ? posting.promise : posted('note 1')()),
  });
  signs.put(FIRST, 0);
  await clock.pass(0);
  isStoreSlow = true;
  signs.put(NEXT, 1);
  // A check of both signs begins, and the store does not answer for the first sign.
  await clock.pass(2_000);
  posting.resolve({ kind: 'done', id: 'note 2' });
  await clock.pass(0);
  signs.take(NEXT);
  looking.resolve(true);
  await clock.pass(10_000);
  expect(taken.map(({ turn: id, id: note }) => [id, note])).toEqual([[NEXT.id, 'note 2']]);
  expect(values.get(KEY)).toMatchObject([{ turn: FIRST.id }]);
});

test('the sign of a killed process is removed by the id that it stored last', async () => {
  const { clock, values, taken, begin } = bridge();
  const posting = Promise.withResolvers<PostResult>();
  const waiting = new Set<string>([NEXT.id]);
  const waits = async (id: string) => waiting.has(id);
  const first = await begin({ waits, put: () => posting.promise });
  first.put(NEXT, 1);
  await clock.pass(0);
  // The second process reads the stored entry while the first process is still posting the sign.
  await begin({ waits, put: posted('none') });
  posting.resolve({ kind: 'done', id: 'note 2' });
  await clock.pass(0);
  first.die();
  waiting.clear();
  await clock.pass(60_000);
  expect(taken.map(({ id }) => id)).toContain('note 2');
  expect(values.get(KEY)).toEqual([]);
});

const LATER_MS = 120_000;
const MESSAGE = { tenant: 't', room: 'r', id: 'message', turn: NEXT.id };
const idle = { waits: async () => false, put: posted('none') };

test('a message is deleted later, once, by one of several processes', async () => {
  const { clock, values, taken, begin } = bridge();
  const [one] = [await begin(idle), await begin(idle)];
  await one.removeLater(MESSAGE, LATER_MS);
  await clock.pass(LATER_MS - 1);
  expect(taken).toEqual([]);
  await clock.pass(60_000);
  expect(taken.map(({ id }) => id)).toEqual(['message']);
  expect(values.get(KEY)).toEqual([]);
});

test('a message whose process was killed is deleted later by another process', async () => {
  const { clock, values, taken, begin } = bridge();
  const [one] = [await begin(idle), await begin(idle)];
  await one.removeLater(MESSAGE, LATER_MS);
  one.die();
  await clock.pass(LATER_MS - 1);
  expect(taken).toEqual([]);
  await clock.pass(60_000);
  expect(taken.map(({ id }) => id)).toEqual(['message']);
  expect(values.get(KEY)).toEqual([]);
});

test('a workspace has no more signs than can be removed in a minute, whatever another one has', async () => {
  const clock = createVirtualClock();
  const { state } = sharedState(new Map(), clock)();
  const list = new SignList({ host: { clock, state, log: quiet }, key: KEY, perMinute: 2 });
  const sign = (tenant: string, on: string) => ({
    tenant,
    room: 'r',
    on,
    turn: FIRST.id,
    putAt: clock.now(),
  });
  const add = (tenant: string, on: string) => list.add(sign(tenant, on));
  const first = await add('T12', '1');
  expect(first).toBeDefined();
  expect(await add('T12', '2')).toBeDefined();
  expect(await add('T12', '3')).toBeUndefined();
  expect(await add('T1', '1')).toBeDefined();
  if (first !== undefined) await list.remove(first);
  await clock.pass(59_999);
  expect(await add('T12', '4')).toBeUndefined();
  await clock.pass(1);
  expect(await add('T12', '4')).toBeDefined();
});

test('a sign that could not be posted is forgotten, so that the next turn of the question gets one', async () => {
  const { clock, values, begin } = bridge();
  let isBroken = true;
  const signs = await begin({
    waits: async () => true,
    put: () => (isBroken ? Promise.reject(new Error('broken')) : posted('note')()),
  });
  signs.put(FIRST, 0);
  await clock.pass(0);
  expect(values.get(KEY)).toEqual([]);
  isBroken = false;
  signs.put(FIRST, 0);
  await clock.pass(0);
  expect(values.get(KEY)).toMatchObject([{ id: 'note' }]);
});

test('a removed app forgets the signs of its own workspace only', async () => {
  const { values, begin, clock } = bridge();
  const sign = (tenant: string) => ({ tenant, room: 'r', on: '1', turn: FIRST.id, putAt: clock.now() });
  values.set(KEY, [sign('T1'), sign('T12')]);
  const signs = await begin({ waits: async () => true, put: posted('none') });
  await signs.forget('T1');
  expect(values.get(KEY)).toMatchObject([{ tenant: 'T12' }]);
});

test('a sign that was forgotten while it was posted is not stored again', async () => {
  const { values, begin, clock } = bridge();
  const posting = Promise.withResolvers<PostResult>();
  const signs = await begin({ waits: async () => true, put: () => posting.promise });
  signs.put(FIRST, 0);
  await clock.pass(0);
  expect(values.get(KEY)).toHaveLength(1);
  await signs.forget('t');
  posting.resolve({ kind: 'done', id: 'note' });
  await clock.pass(0);
  expect(values.get(KEY)).toEqual([]);
});

test('two processes together show no more signs than can be removed in a minute', async () => {
  const clock = createVirtualClock();
  const stateOfProcess = sharedState(new Map(), clock);
  const listOf = () =>
    new SignList({ host: { clock, state: stateOfProcess().state, log: quiet }, key: KEY, perMinute: 1 });
  const sign = (on: string) => ({ tenant: 't', room: 'r', on, turn: FIRST.id, putAt: clock.now() });
  expect(await listOf().add(sign('1'))).toBeDefined();
  expect(await listOf().add(sign('2'))).toBeUndefined();
});

test('another process does not remove a sign while the process that posted it still tries to', async () => {
  const { clock, taken, begin } = bridge();
  const waiting = new Set<string>([FIRST.id]);
  const waits = async (id: string) => waiting.has(id);
  const owner = await begin({ waits, put: posted('note'), take: never });
  await begin({ waits, put: posted('none') });
  owner.put(FIRST, 0);
  // The other process reads the sign.
  await clock.pass(30_000);
  waiting.clear();
  await clock.pass(10_000);
  expect(taken).toHaveLength(1);
  await clock.pass(30_000);
  expect(taken).toHaveLength(2);
});

test('a sign that could not be removed stays if its turn waits again', async () => {
  const { clock, values, taken, begin } = bridge();
  const put = posted('note');
  const signs = await begin({ waits: async () => true, put, take: async () => ({ kind: 'retry' }) });
  signs.put(FIRST, 0);
  await clock.pass(0);
  signs.take(FIRST);
  await clock.pass(0);
  signs.put(FIRST, 0);
  await clock.pass(60_000);
  expect(taken).toHaveLength(1);
  expect(values.get(KEY)).toMatchObject([{ id: 'note' }]);
});

test('a process does not forget the new sign that another one posted in place of its own', async () => {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  const stateOfProcess = sharedState(values, clock);
  const listOf = () =>
    new SignList({ host: { clock, state: stateOfProcess().state, log: quiet }, key: KEY, perMinute: 9 });
  const [one, other] = [listOf(), listOf()];
  const sign = () => ({ tenant: 't', room: 'r', on: '1', turn: FIRST.id, putAt: clock.now() });
  const own = await one.add(sign());
  await other.refresh();
  for (const each of other.all()) await other.remove(each);
  await clock.pass(1);
  await other.add(sign());
  if (own !== undefined) await one.remove(own);
  expect(values.get(KEY)).toMatchObject([{ putAt: clock.now() }]);
});
