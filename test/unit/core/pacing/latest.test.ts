import { expect, test } from 'vitest';
import { createLatest } from '../../../../src/core/pacing/latest.ts';
import { countedSignal } from '../../../fakes/counted-signal.ts';

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

test('a wait that ends leaves no listener, neither on its signal nor on the value', async () => {
  const { signal, listeners } = countedSignal();
  const latest = createLatest(1);
  const changed = latest.change(1, signal);
  expect(listeners()).toBe(1);
  latest.set(2);
  await changed;
  expect(listeners()).toBe(0);
});

test('a watch is told of each change and of the end, until it stops watching', () => {
  const latest = createLatest(1);
  const seen: unknown[] = [];
  const unwatch = latest.watch(() => seen.push(latest.closed ? 'closed' : latest.get()));
  latest.set(2);
  latest.set(3);
  latest.close();
  unwatch();
  latest.set(4);
  expect(seen).toEqual([2, 3, 'closed']);
});
