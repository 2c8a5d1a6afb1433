import { afterEach, expect, it } from 'vitest';
import { listenForInterrupts } from '../../../src/cli/signals.ts';

let now = 0;
const interrupts = listenForInterrupts({ now: () => now, wait: async () => undefined });
afterEach(() => interrupts.dispose());

it('takes one press that arrives twice for one, and a second press for two', () => {
  const heard: string[] = [];
  interrupts.onPress((signal) => heard.push(signal));
  now = 1_000;
  process.emit('SIGINT', 'SIGINT');
  now = 1_050;
  process.emit('SIGINT', 'SIGINT');
  expect(heard).toEqual(['SIGINT']);
  now = 2_000;
  process.emit('SIGTERM', 'SIGTERM');
  expect(heard).toEqual(['SIGINT', 'SIGTERM']);
});
