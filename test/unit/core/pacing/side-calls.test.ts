/** Tests calls outside replies (side calls): when they get a permit, and which slots they leave to replies. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SideCall, SidePermit } from '../../../../src/core/channel/host.ts';
import type { FamilyLimit } from '../../../../src/core/channel/limits.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const LIMITS: Readonly<Record<string, FamilyLimit>> = {
  note: { gapMs: 0, perMinute: 5 },
  post: { gapMs: 0, perMinute: 300, perRoom: { perSecond: 1, burst: 3 } },
};
const MINUTE_MS = 60_000;

interface Asked {
  /** Milliseconds from the start to the permit. */
  at?: number;
  permit?: SidePermit | undefined;
  refused?: unknown;
}

function setUp() {
  const clock = createVirtualClock();
  const start = clock.now();
  const ended = new AbortController();
  const budgets = createBudgets(LIMITS, clock);
  const callOf = (over: Partial<SideCall>): SideCall => ({
    tenant: 't1',
    room: 'r',
    family: 'note',
    ...over,
  });
  return {
    clock,
    budgets,
    ended,
    ask(over: Partial<SideCall> = {}, waitMs = 2 * MINUTE_MS): Asked {
      const asked: Asked = {};
      budgets.permitSideCall(callOf(over), waitMs, ended.signal).then(
        (permit) => Object.assign(asked, { at: clock.now() - start, permit }),
        (refused: unknown) => Object.assign(asked, { refused }),
      );
      return asked;
    },
    atOnce: (over: Partial<SideCall> = {}) => budgets.permitAtOnce(callOf(over)),
    /** Requests a permit for the call that ends a reply. */
    end(reply: string, family = 'note') {
      const asked: { at?: number } = {};
      const moves = [{ family, essential: true, call: undefined }];
      const request = {
        reply: turnId(reply),
        tenant: 't1',
        room: 'r',
        moves,
        first: false,
        since: clock.now(),
      };
      void budgets.permit(request, ended.signal).then(
        (permit) => {
          asked.at = clock.now() - start;
          permit.answered();
        },
        () => undefined,
      );
      return asked;
    },
  };
}

it('starts at once while there is capacity, then a minute after the answer to the first call', async () => {
  const { clock, ask } = setUp();
  const first = Array.from({ length: 5 }, () => ask());
  await clock.pass(0);
  expect(first.map(({ at }) => at)).toEqual([0, 0, 0, 0, 0]);
  const next = ask();
  await clock.pass(100);
  for (const { permit } of first) permit?.answered();
  await clock.pass(MINUTE_MS);
  expect(next.at).toBe(100 + MINUTE_MS);
});

it('never uses a slot that a reply reserved for its end, and gives up', async () => {
  const { clock, budgets, ask, end } = setUp();
  budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 5 } });
  const asked = ask({}, 10_000);
  await clock.pass(9_999);
  expect(asked).toEqual({});
  await clock.pass(1);
  expect(asked).toEqual({ at: 10_000, permit: undefined });
  const ends = Array.from({ length: 5 }, () => end('one'));
  await clock.pass(0);
  expect(ends.map(({ at }) => at)).toEqual(Array(5).fill(10_000));
});

it('starts once a reply has released its reservation; replies start no faster than they can end', async () => {
  const { clock, budgets, ask } = setUp();
  budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 5 } });
  const asked = ask();
  await clock.pass(3_000);
  budgets.free(turnId('one'));
  await clock.pass(6_900);
  expect(asked).toEqual({});
  await clock.pass(1_200);
  expect(asked.permit).toBeDefined();
});

it('that a person waits for without seeing anything goes before older ones', async () => {
  const { clock, ask } = setUp();
  const first = Array.from({ length: 5 }, () => ask());
  await clock.pass(0);
  for (const { permit } of first) permit?.answered();
  const patient = Array.from({ length: 5 }, () => ask());
  await clock.pass(1_000);
  const urgent = Array.from({ length: 5 }, () => ask({ first: true }));
  await clock.pass(MINUTE_MS);
  expect(urgent.map(({ permit }) => permit !== undefined)).toEqual(Array(5).fill(true));
  expect(patient.map(({ permit }) => permit)).toEqual(Array(5).fill(undefined));
});

it('is refused at once if the wait is known to be too long', async () => {
  const { clock, ask } = setUp();
  ask().permit?.answered();
  const first = Array.from({ length: 5 }, () => ask());
  await clock.pass(0);
  for (const { permit } of first) permit?.answered();
  const late = ask({}, 15_000);
  await clock.pass(0);
  expect(late).toEqual({ at: 0, permit: undefined });
});

it('that cannot wait counts as well, and then delays others', async () => {
  const { clock, ask, atOnce } = setUp();
  for (let each = 0; each < 7; each += 1) atOnce().answered();
  const asked = ask();
  await clock.pass(MINUTE_MS - 1);
  expect(asked).toEqual({});
  await clock.pass(10);
  expect(asked.permit).toBeDefined();
});

it('reports a rate-limit refusal, which delays replies as well', async () => {
  const { clock, ask, end } = setUp();
  const first = ask();
  await clock.pass(0);
  first.permit?.answered(7_000);
  const again = ask();
  const reply = end('one');
  const elsewhere = ask({ tenant: 't2' });
  const other = ask({ family: 'free' });
  await clock.pass(6_999);
  expect([again.at, reply.at, elsewhere.at, other.at]).toEqual([undefined, undefined, 0, 0]);
  await clock.pass(20);
  expect(again.at).toBeGreaterThanOrEqual(7_000);
  expect(reply.at).toBeGreaterThanOrEqual(7_000);
});

it('respects the limit of a room', async () => {
  const { clock, ask } = setUp();
  const asked = Array.from({ length: 6 }, () => ask({ family: 'post' }));
  const elsewhere = ask({ family: 'post', room: 's' });
  await clock.pass(0);
  for (const { permit } of asked) permit?.answered();
  expect(asked.filter(({ at }) => at === 0)).toHaveLength(3);
  expect(elsewhere.at).toBe(0);
  await clock.pass(1_500);
  expect(asked.filter(({ permit }) => permit !== undefined)).toHaveLength(4);
});

it('stops waiting when the signal aborts, and leaves no timer', async () => {
  const { clock, budgets, ended, ask } = setUp();
  budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 5 } });
  const asked = ask();
  await clock.pass(0);
  ended.abort(new Error('stopped'));
  await clock.pass(0);
  expect(asked.refused).toMatchObject({ message: 'stopped' });
  expect(clock.waiting).toBe(0);
});

it('is refused if too many wait already', async () => {
  const { clock, budgets, ask } = setUp();
  budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 5 } });
  const asked = Array.from({ length: 1_002 }, () => ask());
  await clock.pass(0);
  expect(asked.filter(({ at }) => at === 0)).toHaveLength(2);
});

it('never exceeds the calls per minute, whatever is requested', async () => {
  const steps = fc.array(fc.record({ after: fc.nat(20_000), takes: fc.nat(3_000) }), {
    minLength: 10,
    maxLength: 40,
  });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { clock, budgets, ended } = setUp();
      const made: number[] = [];
      for (const { after, takes } of all) {
        const call = { tenant: 't1', room: 'r', family: 'note' };
        void budgets.permitSideCall(call, 10 * MINUTE_MS, ended.signal).then(async (permit) => {
          if (permit === undefined) return;
          made.push(clock.now());
          await clock.wait(takes);
          permit.answered();
        });
        await clock.pass(after);
      }
      await clock.pass(20 * MINUTE_MS);
      expect(made).toHaveLength(all.length);
      for (const [at, since] of made.entries())
        expect((made[at + 5] ?? Number.POSITIVE_INFINITY) - since).toBeGreaterThanOrEqual(MINUTE_MS);
    }),
    { numRuns: 30 },
  );
});

it('counts no side call as waiting that was granted, came too late or was withdrawn', async () => {
  const { clock, budgets } = setUp();
  const call = (nth: number): SideCall => ({ tenant: `t${nth}`, room: 'r', family: 'note' });
  const asked = async (nth: number, waitMs: number) => {
    const over = new AbortController();
    const permit = budgets.permitSideCall(call(nth), waitMs, over.signal).catch(() => undefined);
    await Promise.resolve();
    over.abort();
    return permit;
  };
  budgets.close({ ...call(0), ms: MINUTE_MS });
  for (let nth = 0; nth < 1_100; nth += 1) await asked(nth % 3, nth % 2);
  await clock.pass(10 * MINUTE_MS);
  const permit = budgets.permitSideCall(call(5), 0, new AbortController().signal);
  await clock.pass(0);
  expect(await permit).toBeDefined();
});
