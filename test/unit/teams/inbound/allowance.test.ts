import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAllowance } from '../../../../adapters/teams/inbound/allowance.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const windows = [
  { calls: 14, ms: 1_000 },
  { calls: 16, ms: 2_000 },
  { calls: 120, ms: 30_000 },
];
const never = new AbortController().signal;

test('the allowance keeps the calls of each conversation within all windows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          after: fc.nat(2_000),
          many: fc.integer({ min: 1, max: 60 }),
          of: fc.constantFrom('a', 'b'),
          /** Milliseconds until Teams receives the call and counts it. */
          travels: fc.nat(300),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      async (waves) => {
        const clock = createVirtualClock();
        const allowance = createAllowance(windows, clock);
        const made: { of: string; at: number }[] = [];
        for (const { after, many, of, travels } of waves) {
          await clock.pass(after);
          for (let nth = 0; nth < many; nth++) {
            void allowance(of, never).then(() => made.push({ of, at: clock.now() + travels }));
          }
        }
        const all = waves.reduce((sum, { many }) => sum + many, 0);
        await clock.pass(1);
        await clock.until(() => made.length === all, 30_300 * (all / 120 + 2));
        for (const of of ['a', 'b']) {
          const times = made
            .filter((each) => each.of === of)
            .map(({ at }) => at)
            .toSorted((one, other) => one - other);
          for (const { calls, ms } of windows) {
            times.forEach((at, nth) => {
              const before = times[nth - calls];
              if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(ms);
            });
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('the allowance lets a call pass at once if the windows have room', async () => {
  const clock = createVirtualClock();
  const allowance = createAllowance(windows, clock);
  const made: string[] = [];
  for (const of of [...Array.from({ length: 15 }, () => 'a'), 'b'])
    void allowance(of, never).then(() => made.push(of));
  await clock.pass(0);
  expect(made.toSorted().join('')).toBe(`${'a'.repeat(14)}b`);
});
