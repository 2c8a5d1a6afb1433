import { expect, test } from 'vitest';
import { OVER, openWait } from '../../../src/core/clock.ts';

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
  const outer = new AbortController();
  let listeners = 0;
  const { signal } = outer;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...given: Parameters<typeof add>) => {
    listeners += 1;
    add(...given);
  };
  signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...given);
  };
  const wait = openWait(signal);
  wait.end();
  expect(listeners).toBe(0);
  outer.abort('too late');
  expect(wait.signal.reason).toBe(OVER);
});
