import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { countedSignal } from '../fakes/counted-signal.ts';

const DAY_MS = 24 * 60 * 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  1,
  1_000,
  24 * DAY_MS,
  25 * DAY_MS,
  60 * DAY_MS,
])('a wait of %i ms ends at its time', async (ms) => {
  let isOver = false;
  void systemClock.wait(ms).then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(isOver).toBe(true);
});

test.each([
  1_000,
  60 * DAY_MS,
])('a wait of %i ms leaves neither a listener nor a timer, however it ends', async (ms) => {
  const counted = countedSignal();
  const ended = systemClock.wait(ms, counted.signal);
  await vi.advanceTimersByTimeAsync(ms);
  await ended;
  expect([counted.listeners(), vi.getTimerCount()]).toEqual([0, 0]);
  const aborted = systemClock.wait(ms, counted.signal);
  counted.abort('over');
  await expect(aborted).rejects.toBe('over');
  await expect(systemClock.wait(ms, counted.signal)).rejects.toBe('over');
  expect(vi.getTimerCount()).toBe(0);
});
