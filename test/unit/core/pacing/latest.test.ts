import { expect, test } from 'vitest';
import { createLatest, unlessAborted } from '../../../../src/core/pacing/latest.ts';

const never = new AbortController().signal;

test('a reader that lags behind sees only the newest value', async () => {
  const latest = createLatest(1);
  const changed = latest.change(1, never);
  latest.set(2);
  latest.set(3);
  await changed;
  expect(latest.get()).toBe(3);
});

test('a change that was missed resolves at once', async () => {
  const latest = createLatest(1);
  latest.set(2);
  await latest.change(1, never);
});

test('closing wakes whoever waits, and nobody waits after it', async () => {
  const latest = createLatest(1);
  const changed = latest.change(1, never);
  latest.close();
  await changed;
  await latest.change(1, never);
  expect(latest.closed).toBe(true);
});

test('a wait ends with the signal’s reason', async () => {
  const over = new AbortController();
  const waiting = createLatest(1).change(1, over.signal);
  over.abort('gone');
  await expect(waiting).rejects.toBe('gone');
});

test('a wait for what never comes leaves no listener when it ends', async () => {
  const over = new AbortController();
  let listeners = 0;
  const { signal } = over;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  expect(await unlessAborted(Promise.resolve('value'), signal)).toBe('value');
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(listeners).toBe(0);
});
