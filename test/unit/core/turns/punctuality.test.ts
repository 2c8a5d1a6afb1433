import { expect, test } from 'vitest';
import { createPunctuality } from '../../../../src/core/turns/worker.ts';

/** A clock whose waits end late. Each wait is late by the next of these numbers, in milliseconds. */
function lateClock(...lateness: number[]) {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    wait: async (ms: number) => {
      waits.push(ms);
      now += ms + (lateness.shift() ?? 0);
    },
  };
}
const never = new AbortController().signal;

test('a process that is late starts no turn until it is on time', async () => {
  const clock = lateClock(300, 120, 10);
  await createPunctuality(clock, never)();
  expect(clock.waits).toHaveLength(3);
});

test('a process that was on time just now is not checked again', async () => {
  const clock = lateClock();
  const onTime = createPunctuality(clock, never);
  await onTime();
  clock.advance(19);
  await onTime();
  expect(clock.waits).toHaveLength(1);
  clock.advance(2);
  await onTime();
  expect(clock.waits).toHaveLength(2);
});

test('a process that is always late continues slowly; one that shuts down does not wait', async () => {
  const clock = lateClock(...Array.from({ length: 100 }, () => 500));
  await createPunctuality(clock, never)();
  expect(clock.waits).toHaveLength(20);
  const ended = AbortSignal.abort();
  await createPunctuality(lateClock(), ended)();
});
