import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/core/clock.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { createOnce } from '../../../src/kit/once.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { never, sharedState } from './killable-state.ts';

/** Successive processes that share one store. Writes of a killed process have no effect. */
function bridge() {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  const stateOfProcess = sharedState(values, clock);
  let done = 0;
  const begin = (own: Clock = clock) => {
    const { state, kill } = stateOfProcess();
    const background = createBackground(quiet);
    const once = createOnce({
      host: { clock: own, state },
      background,
      signal: new AbortController().signal,
    });
    return { once, kill, settle: background.settle };
  };
  const work = async () => {
    done += 1;
  };
  return { clock, values, begin, work, done: () => done };
}

test('an event is handled once, if repeated concurrently, later, or after a restart', async () => {
  const { begin, work, done } = bridge();
  const first = begin();
  await Promise.all([first.once('Ev1', work, 'nobody'), first.once('Ev1', work, 'nobody')]);
  await first.once('Ev1', work, 'nobody');
  await first.settle();
  await begin().once('Ev1', work, 'nobody');
  expect(done()).toBe(1);
  await first.once('Ev2', work, 'nobody');
  expect(done()).toBe(2);
});

test('an event that two replicas receive at once is handled once', async () => {
  const { clock, begin, work, done } = bridge();
  const [one, other] = [begin(), begin()];
  const both = Promise.all([one.once('Ev1', work, 'nobody'), other.once('Ev1', work, 'nobody')]);
  await clock.pass(20_000);
  await both;
  expect(done()).toBe(1);
});

test.each([
  -60_000, 60_000,
])('a clock that differs by %i ms does not break the claim of another replica', async (ahead) => {
  const { clock, begin, work, done } = bridge();
  const one = begin();
  const held = one.once('Ev1', () => clock.wait(30_000), 'nobody');
  await clock.pass(0);
  const other = begin({ ...clock, now: () => clock.now() + ahead }).once('Ev1', work, 'nobody');
  await clock.pass(40_000);
  await Promise.all([held, other]);
  expect(done()).toBe(0);
});

test('an event whose work failed is handled again', async () => {
  const { begin, work, done } = bridge();
  const { once } = begin();
  await expect(once('Ev1', () => Promise.reject(new Error('down')), 'nobody')).rejects.toThrow('down');
  await once('Ev1', work, 'nobody');
  expect(done()).toBe(1);
});

describe('when the process is killed during the work', () => {
  test('the event is handled again after the claim has lapsed', async () => {
    const { clock, begin, work, done } = bridge();
    const killed = begin();
    void killed.once('Ev1', never, 'nobody');
    await clock.pass(60_000);
    killed.kill();
    const again = begin().once('Ev1', work, 'nobody');
    await clock.pass(6_000);
    expect(done()).toBe(0);
    await clock.pass(4_000);
    await again;
    expect(done()).toBe(1);
  });

  test('a clock set back by an hour does not extend the wait (fault F33)', async () => {
    const { clock, begin, work, done } = bridge();
    const killed = begin();
    void killed.once('Ev1', never, 'nobody');
    await clock.pass(0);
    killed.kill();
    clock.jump(-3_600_000);
    const again = begin().once('Ev1', work, 'nobody');
    await clock.pass(10_000);
    await again;
    expect(done()).toBe(1);
  });
});

test('an event is claimed before its work: no claim, no work', async () => {
  const { begin, work, done } = bridge();
  const { once, kill } = begin();
  kill();
  void once('Ev1', work, 'nobody');
  await new Promise((resolve) => setImmediate(resolve));
  expect(done()).toBe(0);
});

test('an event that another process is still handling is not handled twice, however long it takes', async () => {
  const { clock, begin, work, done } = bridge();
  const [one, other] = [begin(), begin()];
  const ended = Promise.withResolvers<void>();
  const first = one.once('Ev1', () => ended.promise, 'nobody');
  await clock.pass(0);
  const second = other.once('Ev1', work, 'nobody');
  await clock.pass(120_000);
  ended.resolve();
  await first;
  await one.settle();
  await clock.pass(20_000);
  await second;
  expect(done()).toBe(0);
});

test('a process that is killed right after its claim holds the event for no longer than the lease', async () => {
  const { clock, begin, work, done } = bridge();
  const killed = begin();
  void killed.once('Ev1', never, 'nobody');
  await clock.pass(0);
  killed.kill();
  const again = begin().once('Ev1', work, 'nobody');
  await clock.pass(11_000);
  await again;
  expect(done()).toBe(1);
});

test('a process that was paused longer than its lease does not claim an event again that another one handled', async () => {
  const { clock, begin, work, done } = bridge();
  const pause = Promise.withResolvers<void>();
  const waits = [() => pause.promise];
  const paused = begin({ ...clock, wait: (ms, signal) => waits.shift()?.() ?? clock.wait(ms, signal) });
  void paused.once('Ev1', never, 'nobody');
  await clock.pass(11_000);
  const other = begin();
  await other.once('Ev1', work, 'nobody');
  await other.settle();
  pause.resolve();
  await clock.pass(0);
  paused.kill();
  const third = begin().once('Ev1', work, 'nobody');
  await clock.pass(60_000);
  await third;
  expect(done()).toBe(1);
});
