import { expect, test, vi } from 'vitest';
import { AcceptedPresses } from '../../../src/kit/accepted-presses.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { text } from '../../../src/kit/json.ts';
import { createOnce } from '../../../src/kit/once.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { never, sharedState } from './killable-state.ts';

const LIST = 'accepted presses';
const ACKNOWLEDGE_MS = 1_500;
/**
 * Milliseconds until another process handles a press of an ended process: the lease of the claim, the pause before the
 * claim is read again, and the search for stored presses.
 */
const TAKEOVER_MS = 10_000 + 1_000 + 2_000;

/** Processes that share one store. `again` lists the presses that one process handled after another had ended. */
function bridge() {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  const secrets = new Map<string, unknown>();
  const stateOfProcess = sharedState(values, clock);
  const secretsOfProcess = sharedState(secrets, clock);
  const again: string[] = [];
  const begin = (work = async (): Promise<void> => undefined) => {
    const [open, sealed] = [stateOfProcess(), secretsOfProcess()];
    const stopping = new AbortController();
    const { signal } = stopping;
    const background = createBackground(quiet);
    const host = { clock, state: open.state, secrets: sealed.state, log: quiet };
    const presses = new AcceptedPresses<string>({
      ...{ host, background, signal },
      once: createOnce({ host, background, signal }),
      acknowledgeMs: ACKNOWLEDGE_MS,
      identify: (press) => ['T1', 'C1', 'U1', press],
      ownerOf: () => ({ tenant: 'T1', person: 'U1' }),
      decode: text,
      again: async (press) => {
        again.push(press);
        await work();
      },
    });
    presses.resume();
    /** Presses, and tells whether the press was acknowledged. */
    const press = (name: string, work: () => Promise<unknown>) => {
      const pressed = { isAcknowledged: false, failure: undefined as unknown, result: undefined as unknown };
      void presses.handle(name, work).then(
        (result) => Object.assign(pressed, { isAcknowledged: true, result }),
        (failure: unknown) => Object.assign(pressed, { failure }),
      );
      return pressed;
    };
    return {
      ...{ press, host },
      kill: () => {
        open.kill();
        sealed.kill();
        stopping.abort();
      },
      async stop() {
        stopping.abort();
        await background.settle();
      },
    };
  };
  return { clock, values, secrets, again, begin };
}

test.each([
  ['is handled', async () => 'done', 'done'],
  ['fails', () => Promise.reject(new Error('fails')), undefined],
])('a press that %s in time is answered with its result and never stored', async (_how, work, result) => {
  const { clock, begin } = bridge();
  const { press, host } = begin();
  const set = vi.spyOn(host.secrets, 'set');
  const pressed = press('1', work);
  await clock.pass(0);
  expect(pressed).toMatchObject({ isAcknowledged: true, result });
  expect(set).not.toHaveBeenCalled();
});

test('a press that takes longer is stored before it is acknowledged, and deleted when it is handled', async () => {
  const { clock, values, secrets, again, begin } = bridge();
  const [one] = [begin(), begin()];
  const ended = Promise.withResolvers<void>();
  const pressed = one.press('1', () => ended.promise);
  await clock.pass(ACKNOWLEDGE_MS - 1);
  expect(pressed.isAcknowledged).toBe(false);
  await clock.pass(1);
  expect(pressed.isAcknowledged).toBe(true);
  expect([...secrets.keys()]).toEqual(['press T1 C1 U1 1']);
  await clock.pass(60_000);
  ended.resolve();
  await clock.pass(60_000);
  expect(again).toEqual([]);
  expect([values.get(LIST), secrets.size]).toEqual([[], 0]);
});

test.each([
  'killed',
  'stopped',
] as const)('the press of a process that is %s is handled once', async (how) => {
  const { clock, values, secrets, again, begin } = bridge();
  const [one] = [begin(), begin(), begin()];
  const ended = Promise.withResolvers<void>();
  const pressed = one.press('1', () => ended.promise);
  await clock.pass(ACKNOWLEDGE_MS);
  expect(pressed.isAcknowledged).toBe(true);
  if (how === 'killed') one.kill();
  else {
    const stopped = one.stop();
    // The stop has cut the work off, so its end has no effect.
    ended.resolve();
    await stopped;
  }
  await clock.pass(TAKEOVER_MS);
  expect(again).toEqual(['1']);
  expect([values.get(LIST), secrets.size]).toEqual([[], 0]);
  begin();
  await clock.pass(TAKEOVER_MS);
  expect(again).toEqual(['1']);
});

test('a press that cannot be stored is not acknowledged', async () => {
  const { clock, begin } = bridge();
  const { press, host } = begin();
  host.secrets.set = () => Promise.reject(new Error('the store is down'));
  const pressed = press('1', never);
  await clock.pass(10_000);
  expect(pressed).toMatchObject({ isAcknowledged: false, failure: { message: 'the store is down' } });
});

test('when the list is full, a press is acknowledged only after it was handled', async () => {
  const { clock, values, secrets, begin } = bridge();
  const { press } = begin();
  await clock.pass(0);
  values.set(
    LIST,
    Array.from({ length: 200 }, (_, nth) => `press T1 C1 U2 ${nth}`),
  );
  const ended = Promise.withResolvers<string>();
  const pressed = press('1', () => ended.promise);
  await clock.pass(ACKNOWLEDGE_MS + 100);
  expect(pressed.isAcknowledged).toBe(false);
  expect(secrets.size).toBe(0);
  ended.resolve('done');
  await clock.pass(0);
  expect(pressed).toMatchObject({ isAcknowledged: true, result: 'done' });
});

test('presses that hang in other processes do not keep this process from handling its own', async () => {
  const { clock, values, begin } = bridge();
  // One process runs 200 tasks at the same time, and a stored press needs two of them.
  const others = [begin(), begin(), begin()];
  for (let nth = 0; nth < 200; nth += 1) others[nth % 3]?.press(`hangs ${nth}`, never);
  await clock.pass(ACKNOWLEDGE_MS);
  expect(values.get(LIST)).toHaveLength(200);
  const own = begin();
  await clock.pass(3_000);
  const pressed = own.press('own', async () => 'done');
  await clock.pass(0);
  expect(pressed).toMatchObject({ isAcknowledged: true, result: 'done' });
});

test('presses of an ended process are all handled, some at a time', async () => {
  const { clock, values, again, begin } = bridge();
  const ended = begin();
  const names = Array.from({ length: 50 }, (_, nth) => `${nth}`);
  for (const name of names) ended.press(name, never);
  await clock.pass(ACKNOWLEDGE_MS);
  ended.kill();
  begin();
  await clock.pass(3 * TAKEOVER_MS);
  expect([...again].toSorted()).toEqual(names.toSorted());
  expect(values.get(LIST)).toEqual([]);
});

test('all presses of an ended process are handled, also if there are more than may be claimed at once', async () => {
  const { clock, values, secrets, again, begin } = bridge();
  const killed = begin();
  for (let nth = 0; nth < 70; nth += 1) killed.press(`${nth}`, never);
  await clock.pass(ACKNOWLEDGE_MS);
  killed.kill();
  begin();
  await clock.pass(5 * TAKEOVER_MS);
  expect(again).toHaveLength(70);
  expect([values.get(LIST), secrets.size]).toEqual([[], 0]);
});

test('a process handles at most 50 presses of ended processes at the same time', async () => {
  const { clock, again, begin } = bridge();
  const killed = begin();
  for (let nth = 0; nth < 70; nth += 1) killed.press(`${nth}`, never);
  await clock.pass(ACKNOWLEDGE_MS);
  killed.kill();
  begin(never);
  await clock.pass(5 * TAKEOVER_MS);
  expect(again).toHaveLength(50);
});

test('a press that cannot be read goes from the list', async () => {
  const { clock, values, again, begin } = bridge();
  values.set(LIST, ['press unknown']);
  begin();
  await clock.pass(TAKEOVER_MS);
  expect([values.get(LIST), again]).toEqual([[], []]);
});

test('a press is handled although all processes were away for hours', async () => {
  const { clock, again, begin } = bridge();
  const killed = begin();
  killed.press('1', never);
  await clock.pass(ACKNOWLEDGE_MS);
  killed.kill();
  await clock.pass(23 * 60 * 60_000);
  begin();
  await clock.pass(TAKEOVER_MS);
  expect(again).toEqual(['1']);
});

test('a handled press that could not be deleted is deleted later', async () => {
  const { clock, values, secrets, begin } = bridge();
  const { press, host } = begin();
  const ended = Promise.withResolvers<void>();
  press('1', () => ended.promise);
  await clock.pass(ACKNOWLEDGE_MS);
  const { delete: deletes } = host.secrets;
  host.secrets.delete = () => Promise.reject(new Error('the store is down'));
  ended.resolve();
  await clock.pass(1_000);
  host.secrets.delete = deletes;
  await clock.pass(TAKEOVER_MS);
  expect([values.get(LIST), secrets.size]).toEqual([[], 0]);
});
