import { expect, test } from 'vitest';
import { OVER, openWait, orAborted, within } from '../../../src/core/clock.ts';
import { countedSignal } from '../../fakes/counted-signal.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

test('a wait aborts with the outer signal and its reason', () => {
  const outer = new AbortController();
  const wait = openWait(outer.signal);
  expect(wait.signal.aborted).toBe(false);
  outer.abort('lost');
  expect(wait.signal.reason).toBe('lost');
});

test('a wait on an aborted signal is aborted from the start', () => {
  expect(openWait(AbortSignal.abort('gone')).signal.reason).toBe('gone');
});

test('an ended wait keeps its reason, and the outer signal keeps no listener', () => {
  const { signal, listeners, abort } = countedSignal();
  const wait = openWait(signal);
  wait.end();
  expect(listeners()).toBe(0);
  abort('too late');
  expect(wait.signal.reason).toBe(OVER);
});

test('a value that is awaited until an abort leaves no listener, however it ends', async () => {
  for (const value of [Promise.resolve('done'), Promise.reject(new Error('down'))]) {
    const { signal, listeners } = countedSignal();
    await orAborted(value, signal).catch(() => undefined);
    await Promise.resolve();
    expect(listeners()).toBe(0);
  }
});

test('work that ends in time leaves no wait behind', async () => {
  const clock = createVirtualClock();
  expect(await within(Promise.resolve('done'), 1_000, clock)).toBe('done');
  await expect(within(Promise.reject(new Error('down')), 1_000, clock)).rejects.toThrow('down');
  expect(clock.waiting).toBe(0);
});
