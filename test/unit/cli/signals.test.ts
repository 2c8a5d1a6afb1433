import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Interrupts, listenForInterrupts } from '../../../src/cli/own-process.ts';

let now: number;
let interrupts: Interrupts;
let heard: string[];
beforeEach(() => {
  [now, heard] = [1_000, []];
  interrupts = listenForInterrupts({ now: () => now });
});
afterEach(() => interrupts.dispose());

const hear = () => interrupts.onPress((signal) => heard.push(signal));

it('counts one press that arrives twice as one, and a second press as two', () => {
  hear();
  process.emit('SIGINT', 'SIGINT');
  now = 1_050;
  process.emit('SIGINT', 'SIGINT');
  expect(heard).toEqual(['SIGINT']);
  now = 2_000;
  process.emit('SIGTERM', 'SIGTERM');
  expect(heard).toEqual(['SIGINT', 'SIGTERM']);
});

it('delivers a press that arrived before the first listener', () => {
  process.emit('SIGTERM', 'SIGTERM');
  now = 9_000;
  hear();
  expect(heard).toEqual(['SIGTERM']);
});

it('counts the loss of the parent as the first press, never as the second', () => {
  hear();
  interrupts.orphaned();
  expect(heard).toEqual(['SIGTERM']);
  now = 9_000;
  interrupts.orphaned();
  expect(heard).toEqual(['SIGTERM']);
});

it('ignores the parent once it was asked to end', () => {
  hear();
  process.emit('SIGINT', 'SIGINT');
  now = 9_000;
  interrupts.orphaned();
  expect(heard).toEqual(['SIGINT']);
});

it('passes SIGHUP to its listener, and counts it as a press only without one', () => {
  hear();
  process.emit('SIGHUP', 'SIGHUP');
  expect(heard).toEqual(['SIGHUP']);
  now = 9_000;
  interrupts.onHangup(() => heard.push('reload'));
  process.emit('SIGHUP', 'SIGHUP');
  process.emit('SIGHUP', 'SIGHUP');
  expect(heard).toEqual(['SIGHUP', 'reload', 'reload']);
});

it('leaves no handler behind, however often a command listens', () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const counts = () => signals.map((signal) => process.listenerCount(signal));
  const before = counts();
  for (let time = 0; time < 3; time += 1) listenForInterrupts({ now: () => now }).dispose();
  expect(counts()).toEqual(before);
});
