import { expect, test } from 'vitest';
import { OVER, openWait } from '../../../src/core/clock.ts';
import { countedSignal } from '../../fakes/counted-signal.ts';

test('a wait ends with the outer signal, and for its reason', () => {
  const outer = new AbortController();
  const wait = openWait(outer.signal);
  expect(wait.signal.aborted).toBe(false);
  outer.abort('lost');
  expect(wait.signal.reason).toBe('lost');
});

test('a wait on a signal that has aborted is over from the start', () => {
  expect(openWait(AbortSignal.abort('gone')).signal.reason).toBe('gone');
});

test('a wait that was ended keeps its reason, and the outer signal keeps no listener', () => {
  const { signal, listeners, abort } = countedSignal();
  const wait = openWait(signal);
  wait.end();
  expect(listeners()).toBe(0);
  abort('too late');
  expect(wait.signal.reason).toBe(OVER);
});
