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

/** True if the promise resolves before the event loop's next turn. */
async function isResolved(promise: Promise<unknown>): Promise<boolean> {
  let resolved = false;
  void promise.then(() => {
    resolved = true;
  });
  await new Promise((done) => setImmediate(done));
  return resolved;
}

test('a change that was missed resolves at once, one that is to come does not', async () => {
  const latest = createLatest(1);
  latest.set(2);
  expect(await isResolved(latest.change(1, never))).toBe(true);
  const next = latest.change(2, never);
  expect(await isResolved(next)).toBe(false);
  latest.set(3);
  expect(await isResolved(next)).toBe(true);
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
