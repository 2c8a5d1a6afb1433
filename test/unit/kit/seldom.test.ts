import { expect, test } from 'vitest';
import { createSeldom } from '../../../src/kit/seldom.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const MINUTE_MS = 60_000;

function open() {
  const clock = createVirtualClock();
  const seldom = createSeldom(clock);
  const told: string[] = [];
  return { clock, told, tell: (kind: string) => seldom(kind, () => told.push(kind)) };
}

test('each kind is logged once a minute', async () => {
  const { clock, told, tell } = open();
  for (const kind of ['a', 'b', 'a', 'b', 'a']) tell(kind);
  expect(told).toEqual(['a', 'b']);
  await clock.pass(MINUTE_MS - 1);
  tell('a');
  expect(told).toEqual(['a', 'b']);
  await clock.pass(1);
  tell('a');
  expect(told).toEqual(['a', 'b', 'a']);
});

test('a clock that is set far back suppresses no message (fault F33)', () => {
  const { clock, told, tell } = open();
  tell('a');
  clock.jump(-2 * MINUTE_MS);
  tell('a');
  expect(told).toEqual(['a', 'a']);
});
