import { expect, test } from 'vitest';
import { OVER, openWait } from '../../../src/core/clock.ts';
import { countedSignal } from '../../fakes/counted-signal.ts';

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
