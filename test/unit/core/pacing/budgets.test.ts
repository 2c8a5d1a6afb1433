import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FamilyLimit } from '../../../../src/core/channel/limits.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { type Budgets, createBudgets, type LearnedLimits } from '../../../../src/core/pacing/budgets.ts';
import type { Permit, PermitRequest } from '../../../../src/core/pacing/permit.ts';
import type { Move } from '../../../../src/core/screen.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';

const LIMITS: Readonly<Record<string, FamilyLimit>> = {
  edit: { gapMs: 1_250, perMinute: 5 },
  start: { gapMs: 0, perMinute: 3 },
  stop: { gapMs: 0, perMinute: 3 },
  stream: { gapMs: 1_000, strict: true },
  post: { gapMs: 0, perMinute: 300, perRoom: { perSecond: 1, burst: 3 } },
};

const progress = (family: string, needs?: Move['needs']): Move => ({
  family,
  essential: false,
  call: undefined,
  ...(needs && { needs }),
});
const final = (family: string): Move => ({ family, essential: true, call: undefined });

interface Rig {
  readonly clock: VirtualClock;
  readonly budgets: Budgets;
  /** Requests a permit and returns immediately. The time of the permit is set when it is granted. */
  ask(moves: readonly Move[], over?: Partial<Omit<PermitRequest, 'reply'>> & { reply?: string }): Asked;
}

interface Asked {
  at?: number;
  permit?: Permit;
  withdraw(): void;
}

function setUp(limits = LIMITS, learned?: LearnedLimits): Rig {
  const clock = createVirtualClock();
  const budgets = createBudgets(limits, clock, learned);
  return {
    clock,
    budgets,
    ask(moves, { reply = 'r1', ...over } = {}) {
      const abort = new AbortController();
      const asked: Asked = { withdraw: () => abort.abort() };
      const place = { tenant: 't1', room: 'room', first: false, since: clock.now() };
      budgets.permit({ ...place, ...over, reply: turnId(reply), moves }, abort.signal).then(
        (permit) => Object.assign(asked, { at: clock.now(), permit }),
        () => undefined,
      );
      return asked;
    },
  };
}

/** Makes a call that is answered immediately. Returns false if it got no permit. */
async function call(rig: Rig, move: Move, reply: string): Promise<boolean> {
  const asked = rig.ask([move], { reply, room: `room of ${reply}`, first: true });
  await rig.clock.pass(0);
  asked.permit?.answered();
  asked.withdraw();
  return asked.permit !== undefined;
}

describe('a gap that the channel enforces', () => {
  it('starts with the answer, and the end of a reply keeps it', async () => {
    const rig = setUp();
    const begun = rig.clock.now();
    const first = rig.ask([progress('stream')]);
    await rig.clock.pass(0);
    expect(first.at).toBe(begun);
    await rig.clock.pass(300);
    first.permit?.answered();
    const end = rig.ask([final('stream')]);
    const other = rig.ask([final('stream')], { reply: 'r2' });
    await rig.clock.pass(2_000);
    expect(end.at).toBe(begun + 1_300);
    expect(other.at).toBe(begun + 300);
  });
});

describe('the budget of a family', () => {
  it('frees a slot a minute after the answer to the call that used it', async () => {
    const rig = setUp();
    const slow = rig.ask([final('start')], { reply: 'slow' });
    await rig.clock.pass(0);
    expect(await call(rig, final('start'), 'a')).toBe(true);
    expect(await call(rig, final('start'), 'b')).toBe(true);
    await rig.clock.pass(20_000);
    slow.permit?.answered();
    const asked = rig.clock.now();
    const [third, fourth, fifth] = ['c', 'd', 'e'].map((reply) => rig.ask([final('start')], { reply }));
    await rig.clock.pass(70_000);
    expect([third?.at, fourth?.at].map((at) => (at ?? 0) - asked)).toEqual([
      expect.closeTo(40_000, -2),
      expect.closeTo(40_000, -2),
    ]);
    expect((fifth?.at ?? 0) - asked).toBeCloseTo(60_000, -2);
  });

  it('reserves the calls for a running reply’s end', async () => {
    const rig = setUp();
    for (const reply of ['a', 'b', 'c', 'd']) {
      expect(await call(rig, progress('post', { edit: 1 }), reply)).toBe(true);
    }
    const others = ['x', 'y'].map((reply) => rig.ask([progress('edit')], { reply, first: true }));
    await rig.clock.pass(30_000);
    expect(others.map(({ permit }) => permit !== undefined)).toEqual([true, false]);
    for (const reply of ['a', 'b', 'c', 'd']) expect(await call(rig, final('edit'), reply)).toBe(true);
  });

  it('grants the best alternative that fits with all its reservations', async () => {
    const rig = setUp();
    const ladder = [progress('start', { stop: 1, edit: 1 }), progress('post', { edit: 1 }), progress('post')];
    const families: string[] = [];
    for (let n = 0; n < 7; n++) {
      const asked = rig.ask(ladder, { reply: `r${n}`, room: `room ${n}`, first: true });
      await rig.clock.pass(0);
      asked.permit?.answered();
      families.push(`${asked.permit?.move.family} ${Object.keys(asked.permit?.move.needs ?? {}).join('+')}`);
    }
    expect(families).toEqual([
      'start stop+edit',
      'start stop+edit',
      'start stop+edit',
      'post edit',
      'post edit',
      'post ',
      'post ',
    ]);
  });

  it('releases a reply’s reservations when it ends', async () => {
    const rig = setUp();
    for (const reply of ['a', 'b', 'c', 'd', 'e']) await call(rig, progress('post', { edit: 1 }), reply);
    const waiting = rig.ask([progress('edit')], { reply: 'x', first: true });
    await rig.clock.pass(1_000);
    expect(waiting.permit).toBeUndefined();
    rig.budgets.free(turnId('c'));
    await rig.clock.pass(100);
    expect(waiting.permit).toBeDefined();
  });

  it('spreads progress, and lets ends of replies pass', async () => {
    const rig = setUp({ edit: { gapMs: 0, perMinute: 10 } });
    const [one, two] = ['a', 'b'].map((reply) => rig.ask([progress('edit')], { reply }));
    const end = rig.ask([final('edit')], { reply: 'c' });
    await rig.clock.pass(10_000);
    expect(end.at).toBe(one?.at);
    expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it('keeps a gap between the progress calls of one reply, except before its end', async () => {
    const rig = setUp({ edit: { gapMs: 1_250 } });
    const start = rig.clock.now();
    await call(rig, progress('edit'), 'a');
    const next = rig.ask([progress('edit')], { reply: 'a' });
    await rig.clock.pass(1_249);
    expect(next.permit).toBeUndefined();
    await rig.clock.pass(1);
    expect((next.at ?? 0) - start).toBe(1_250);
    expect(await call(rig, final('edit'), 'a')).toBe(true);
  });

  it('posts into a room at the room’s rate, independent of the calls per minute', async () => {
    const rig = setUp();
    const start = rig.clock.now();
    const times: number[] = [];
    const post = async (nth: number) => {
      const request = { reply: turnId(`r${nth}`), tenant: 't1', room: 'room', first: true, since: 0 };
      const permit = await rig.budgets.permit(
        { ...request, moves: [progress('post')] },
        new AbortController().signal,
      );
      times.push(rig.clock.now() - start);
      // The channel may count a call when it responds, not when the call arrives. So each response comes 200 ms later.
      await rig.clock.wait(200);
      permit.answered();
    };
    const posts = Promise.all([1, 2, 3, 4, 5].map(post));
    const elsewhere = rig.ask([progress('post')], { reply: 'other', room: 'other', first: true });
    await rig.clock.pass(5_000);
    await posts;
    expect(times.map((at) => Math.round(at / 100))).toEqual([0, 0, 0, 12, 22]);
    expect(elsewhere.at).toBe(start);
  });
});

describe('a call that is not made', () => {
  const one: FamilyLimit['shared'] = [{ name: 'room', of: 'room', windows: [{ calls: 2, ms: 1_000 }] }];

  it.each([
    ['of a minute', { start: { gapMs: 0, perMinute: 2 } }],
    ['of a shared window', { start: { gapMs: 0, shared: one } }],
    ['of a room', { start: { gapMs: 0, perRoom: { perSecond: 0.1, burst: 2 } } }],
  ])('returns its slot %s to one other call', async (_, limits) => {
    const rig = setUp(limits);
    const [kept, unused] = ['a', 'b'].map((reply) => rig.ask([final('start')], { reply }));
    const [next, last] = ['c', 'd'].map((reply) => rig.ask([final('start')], { reply }));
    await rig.clock.pass(100);
    expect([kept, unused, next, last].map((asked) => asked?.permit !== undefined)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    unused?.permit?.giveBack();
    await rig.clock.pass(100);
    expect([next, last].map((asked) => asked?.permit !== undefined)).toEqual([true, false]);
  });

  it('restores the reply’s reservation for its end, once', async () => {
    const rig = setUp({ ...LIMITS, edit: { gapMs: 0, perMinute: 2 } });
    await call(rig, progress('post', { edit: 1 }), 'a');
    const end = rig.ask([final('edit')], { reply: 'a' });
    await rig.clock.pass(100);
    end.permit?.giveBack();
    const others = ['b', 'c'].map((reply) => rig.ask([progress('edit')], { reply, first: true }));
    await rig.clock.pass(100);
    expect(others.map(({ permit }) => permit !== undefined)).toEqual([true, false]);
    expect(await call(rig, final('edit'), 'a')).toBe(true);
  });
});

it('changes none of its reply’s reservations', async () => {
  const rig = setUp({
    edit: { gapMs: 0, perMinute: 1 },
    start: { gapMs: 0, perMinute: 1 },
    other: { gapMs: 0 },
  });
  rig.budgets.begin({ reply: turnId('a'), tenant: 't1', needs: { start: 1 } });
  const move = rig.ask([progress('other', { start: 0, edit: 1 })], { reply: 'a', first: true });
  await rig.clock.pass(100);
  move.permit?.giveBack();
  expect(await call(rig, progress('edit'), 'b')).toBe(true);
  expect(await call(rig, progress('start'), 'b')).toBe(false);
  expect(await call(rig, final('start'), 'a')).toBe(true);
});

describe('the order of requests', () => {
  it('is ends first, then replies without visible text, then the oldest unseen text', async () => {
    const rig = setUp();
    for (const reply of ['a', 'b', 'c', 'd', 'e']) await call(rig, progress('edit'), reply);
    const order: string[] = [];
    const ask = (reply: string, over: Partial<PermitRequest>, move = progress('edit')) =>
      rig.budgets
        .permit(
          {
            tenant: 't1',
            room: 'r',
            first: false,
            since: 0,
            ...over,
            reply: turnId(reply),
            moves: [move],
          },
          new AbortController().signal,
        )
        .then((permit) => {
          order.push(reply);
          permit.answered();
        });
    const all = [
      ask('young', { since: 900 }),
      ask('old', { since: 100 }),
      ask('new', { since: 800, first: true }),
      ask('end', { since: 990 }, final('edit')),
    ];
    await rig.clock.pass(300_000);
    await Promise.all(all);
    expect(order).toEqual(['end', 'new', 'old', 'young']);
  });

  it('excludes a request that was withdrawn', async () => {
    const rig = setUp();
    for (const reply of ['a', 'b', 'c']) await call(rig, final('start'), reply);
    const gone = rig.ask([final('start')], { reply: 'gone' });
    const stays = rig.ask([final('start')], { reply: 'stays' });
    await rig.clock.pass(1_000);
    gone.withdraw();
    await rig.clock.pass(60_000);
    expect(gone.permit).toBeUndefined();
    expect(stays.permit).toBeDefined();
  });
});

describe('a rate-limit refusal', () => {
  it('closes only its family and tenant', async () => {
    const rig = setUp();
    rig.budgets.close({ tenant: 't1', room: 'room', family: 'edit', ms: 5_000 });
    const closed = rig.ask([final('edit')]);
    const other = rig.ask([final('edit')], { tenant: 't2', reply: 'r2' });
    const start = rig.ask([final('start')], { reply: 'r3' });
    await rig.clock.pass(4_900);
    expect([closed, other, start].map(({ permit }) => permit !== undefined)).toEqual([false, true, true]);
    await rig.clock.pass(200);
    expect(closed.permit).toBeDefined();
  });

  it('of a post closes the room first, and the family if the room was closed already', async () => {
    const rig = setUp();
    const refuse = () => rig.budgets.close({ tenant: 't1', room: 'room', family: 'post', ms: 5_000 });
    refuse();
    const here = rig.ask([progress('post')], { reply: 'a' });
    const elsewhere = rig.ask([progress('post')], { reply: 'b', room: 'other' });
    await rig.clock.pass(0);
    expect([here, elsewhere].map(({ permit }) => permit !== undefined)).toEqual([false, true]);
    refuse();
    const third = rig.ask([progress('post')], { reply: 'c', room: 'third' });
    await rig.clock.pass(0);
    expect(third.permit).toBeUndefined();
  });

  it.each(['edit', 'post'])('with a shorter time does not reopen a longer closure: %s', async (family) => {
    const rig = setUp();
    const close = (ms: number) => rig.budgets.close({ tenant: 't1', room: 'room', family, ms });
    // For posts, the first refusal closes the room. The second refusal comes while the room is closed, so it also
    // closes the method family.
    for (const ms of [20_000, 20_000, 2_000]) close(ms);
    const asked = rig.ask([final(family)]);
    await rig.clock.pass(19_900);
    expect(asked.permit).toBeUndefined();
    await rig.clock.pass(200);
    expect(asked.permit).toBeDefined();
  });

  it('lowers the limit once per episode, remembers it, and raises it slowly', async () => {
    const saved: Readonly<Record<string, number>>[] = [];
    const learned: LearnedLimits = { load: async () => ({}), save: (_, limits) => saved.push(limits) };
    const rig = setUp({ edit: { gapMs: 0, perMinute: 50 } }, learned);
    const refuse = () => rig.budgets.close({ tenant: 't1', room: 'room', family: 'edit', ms: 1_000 });
    refuse();
    refuse();
    expect(saved.at(-1)).toEqual({ edit: 35 });
    await rig.clock.pass(10 * 60_000);
    refuse();
    expect(saved.at(-1)).toEqual({ edit: 35 });
    await rig.clock.pass(20 * 60_000);
    rig.budgets.close({ tenant: 't1', room: 'room', family: 'other', ms: 1_000 });
    expect(saved.at(-1)).toEqual({});
  });

  it('of an earlier process still lowers the limit', async () => {
    const learned: LearnedLimits = { load: async () => ({ start: 1 }), save: () => undefined };
    const rig = setUp(LIMITS, learned);
    expect(await call(rig, final('start'), 'first')).toBe(true);
    expect(await call(rig, final('start'), 'second')).toBe(false);
  });
});

it('property: no minute contains more calls than the limit, and every request is granted in the end', async () => {
  const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);
  process.stdout.write(`budgets: seed ${seed}\n`);
  const replies = fc.array(
    fc.record({ at: fc.nat(30_000), ms: fc.nat(15_000), latency: fc.integer({ min: 1, max: 3_000 }) }),
    { minLength: 1, maxLength: 25 },
  );
  await fc.assert(
    fc.asyncProperty(replies, async (plans) => {
      const rig = setUp({ edit: { gapMs: 500, perMinute: 6 }, post: { gapMs: 0 } });
      const arrivals: number[] = [];
      let ended = 0;
      const make = async (move: Move, reply: string, latency: number, first: boolean) => {
        const request = { tenant: 't', room: 'r', reply: turnId(reply), moves: [move], first, since: 0 };
        const permit = await rig.budgets.permit(request, new AbortController().signal);
        await rig.clock.wait(latency / 2);
        if (move.family === 'edit') arrivals.push(rig.clock.now());
        await rig.clock.wait(latency / 2);
        permit.answered();
      };
      const run = async ({ at, ms, latency }: (typeof plans)[number], index: number) => {
        await rig.clock.wait(at);
        const reply = `r${index}`;
        await make(progress('post', { edit: 1 }), reply, latency, true);
        const end = rig.clock.now() + ms;
        while (rig.clock.now() < end) {
          const over = new AbortController();
          const request = {
            tenant: 't',
            room: 'r',
            reply: turnId(reply),
            moves: [progress('edit')],
            first: false,
            since: 0,
          };
          const permit = rig.budgets.permit(request, over.signal).catch(() => undefined);
          const got = await Promise.race([permit, rig.clock.wait(end - rig.clock.now() + 1)]);
          over.abort();
          if (got === undefined || !('answered' in (got as object))) break;
          arrivals.push(rig.clock.now());
          await rig.clock.wait(latency);
          (got as Permit).answered();
        }
        const wanted = rig.clock.now();
        await make(final('edit'), reply, latency, false);
        expect(rig.clock.now() - wanted).toBeLessThanOrEqual(latency + 1);
        rig.budgets.free(turnId(reply));
        ended += 1;
      };
      const all = Promise.all(plans.map(run));
      await rig.clock.until(() => ended === plans.length, 3_600_000);
      await all;
      const sorted = arrivals.toSorted((one, other) => one - other);
      for (const [index, at] of sorted.entries()) {
        const sixth = sorted[index + 6];
        if (sixth !== undefined) expect(sixth - at).toBeGreaterThanOrEqual(60_000);
      }
    }),
    { seed, numRuns: 30 },
  );
});

describe('the end of a reply', () => {
  it('is reserved from its beginning, before any progress', async () => {
    const rig = setUp({ post: { gapMs: 0, perMinute: 4 } });
    for (const reply of ['a', 'b', 'c']) {
      rig.budgets.begin({ reply: turnId(reply), tenant: 't1', needs: { post: 1 } });
    }
    // Waits until the three replies began more than ten seconds ago. Until then, so many new replies count as a rush,
    // which delays optional calls.
    await rig.clock.pass(11_000);
    expect(await call(rig, progress('post', { post: 1 }), 'a')).toBe(true);
    expect(await call(rig, progress('post', { post: 1 }), 'b')).toBe(false);
    for (const reply of ['a', 'b', 'c']) expect(await call(rig, final('post'), reply)).toBe(true);
  });

  it('is released by a move that no longer needs it', async () => {
    const rig = setUp({ post: { gapMs: 0, perMinute: 2 }, start: { gapMs: 0, perMinute: 9 } });
    for (const reply of ['a', 'b']) {
      rig.budgets.begin({ reply: turnId(reply), tenant: 't1', needs: { post: 1 } });
    }
    expect(await call(rig, progress('post'), 'c')).toBe(false);
    expect(await call(rig, progress('start', { post: 0 }), 'a')).toBe(true);
    expect(await call(rig, progress('post'), 'c')).toBe(true);
  });

  it('goes before first parts if more replies start than can end', async () => {
    const rig = setUp({ post: { gapMs: 0, perMinute: 10 } });
    for (const reply of ['a', 'b']) {
      rig.budgets.begin({ reply: turnId(reply), tenant: 't1', needs: { post: 1 } });
    }
    const first = rig.ask([progress('post', { post: 1 })], { reply: 'a', first: true });
    await rig.clock.pass(5_000);
    expect(first.permit).toBeUndefined();
    expect(await call(rig, final('post'), 'b')).toBe(true);
    await rig.clock.pass(8_000);
    expect(first.permit).toBeDefined();
  });
});
