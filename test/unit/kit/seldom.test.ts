import { expect, test } from 'vitest';
import { createSeldom, createSome } from '../../../src/kit/seldom.ts';
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

test('the first events of a minute are told, and once that there are more', async () => {
  const clock = createVirtualClock();
  const some = createSome(clock, 3);
  const told: string[] = [];
  const flood = () => {
    for (let nth = 0; nth < 100; nth += 1)
      some(
        () => told.push(`${nth}`),
        () => told.push('more'),
      );
  };
  flood();
  await clock.pass(MINUTE_MS - 1);
  flood();
  expect(told).toEqual(['0', '1', '2', 'more']);
  await clock.pass(1);
  flood();
  expect(told).toHaveLength(8);
  clock.jump(-2 * MINUTE_MS);
  flood();
  expect(told).toHaveLength(12);
});
