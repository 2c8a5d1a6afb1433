import { expect, test } from 'vitest';
import { createLatest } from '../../../../src/core/pacing/latest.ts';
import { countedSignal } from '../../../fakes/counted-signal.ts';

const never = new AbortController().signal;

test('a slow reader sees only the newest value', async () => {
  const latest = createLatest(1);
  const changed = latest.change(1, never);
  latest.set(2);
  latest.set(3);
  await changed;
  expect(latest.get()).toBe(3);
});

/** True if the promise resolves within the current turn of the event loop. */
async function isResolved(promise: Promise<unknown>): Promise<boolean> {
  let resolved = false;
  void promise.then(() => {
    resolved = true;
  });
  await new Promise((done) => setImmediate(done));
  return resolved;
}

test('a missed change resolves at once, a future one does not', async () => {
  const latest = createLatest(1);
  latest.set(2);
  expect(await isResolved(latest.change(1, never))).toBe(true);
  const next = latest.change(2, never);
  expect(await isResolved(next)).toBe(false);
  latest.set(3);
  expect(await isResolved(next)).toBe(true);
});

test('the same value again is no change', async () => {
  const latest = createLatest(1);
  let changes = 0;
  latest.watch(() => {
    changes += 1;
  });
  latest.set(1);
  expect(changes).toBe(0);
  latest.set(2);
  expect(changes).toBe(1);
});

test('closing ends all waits, and later waits resolve at once', async () => {
  const latest = createLatest(1);
  const changed = latest.change(1, never);
  latest.close();
  await changed;
  await latest.change(1, never);
  expect(latest.closed).toBe(true);
});

test('a wait rejects with the signal’s reason', async () => {
  const over = new AbortController();
  const waiting = createLatest(1).change(1, over.signal);
  over.abort('gone');
  await expect(waiting).rejects.toBe('gone');
});

test('a wait that ended leaves no listener on its signal or on the value', async () => {
  const { signal, listeners } = countedSignal();
  const latest = createLatest(1);
  const changed = latest.change(1, signal);
  expect(listeners()).toBe(1);
  latest.set(2);
  await changed;
  expect(listeners()).toBe(0);
});

test('a watch is called on each change and on the end, until it is removed', () => {
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
