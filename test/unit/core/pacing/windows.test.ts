import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallWindow, FamilyLimit, SharedWindows } from '../../../../src/core/channel/limits.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import { Windows } from '../../../../src/core/pacing/windows.ts';
import type { Move } from '../../../../src/core/screen.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

/** Teams' rate limits for one bot in one thread. */
const THREAD: readonly CallWindow[] = [
  { calls: 7, ms: 1_000 },
  { calls: 8, ms: 2_000 },
  { calls: 60, ms: 30_000 },
];

/** Returns the largest number of calls in any period of `ms` milliseconds. */
function densest(times: readonly number[], ms: number): number {
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at - start < ms).length));
}

describe('windows', () => {
  it('grant no more permits than any period allows, whenever they are requested', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 150 }), (pauses) => {
        const windows = new Windows(THREAD);
        const made: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          if (windows.wait('a', now) > 0) continue;
          windows.take('a');
          windows.answered('a', now);
          made.push(now);
        }
        for (const { calls, ms } of THREAD) expect(densest(made, ms)).toBeLessThanOrEqual(calls);
      }),
    );
  });

  it('return the exact wait until the next call', () => {
    const windows = new Windows(THREAD);
    for (let nth = 0; nth < 7; nth += 1) {
      windows.take('a');
      windows.answered('a', 100);
    }
    expect(windows.wait('a', 100)).toBe(1_000);
    expect(windows.wait('a', 1_099)).toBe(1);
    expect(windows.wait('a', 1_100)).toBe(0);
    expect(windows.wait('b', 100)).toBe(0);
  });

  it('count a call in flight until its answer', () => {
    const windows = new Windows([{ calls: 1, ms: 1_000 }]);
    windows.take('a');
    expect(windows.wait('a', 60_000)).toBe(Number.POSITIVE_INFINITY);
    windows.answered('a', 60_000);
    expect(windows.wait('a', 60_000)).toBe(1_000);
  });

  it('leave a part for the ends of replies', () => {
    const windows = new Windows(THREAD);
    for (let nth = 0; nth < 6; nth += 1) {
      windows.take('a');
      windows.answered('a', 0);
    }
    expect(windows.politeWait('a', 0, 1)).toBe(1_000);
    expect(windows.wait('a', 0)).toBe(0);
  });

  it('give first words every call of the shortest window, and keep one call of each longer window', () => {
    const windows = new Windows(THREAD);
    const make = (at: number) => {
      windows.take('a');
      windows.answered('a', at);
    };
    for (let nth = 0; nth < 6; nth += 1) make(0);
    expect(windows.politeWait('a', 0, 0)).toBe(0);
    make(0);
    // After the first second, one call of the two-second window is left. It is reserved for the end of a reply.
    expect(windows.politeWait('a', 1_000, 0)).toBe(1_000);
    expect(windows.wait('a', 1_000)).toBe(0);
    const alone = new Windows([{ calls: 2, ms: 1_000 }]);
    alone.take('a');
    alone.answered('a', 0);
    expect(alone.politeWait('a', 0, 0)).toBe(1_000);
  });

  it.each([
    [THREAD],
    [THREAD.toReversed()],
    [[...THREAD.slice(1), ...THREAD.slice(0, 1)]],
  ])('find the shortest one in any order', (named) => {
    const windows = new Windows(named);
    for (let nth = 0; nth < 6; nth += 1) {
      windows.take('a');
      windows.answered('a', 0);
    }
    // First words may use the last call of the one-second window, because the two-second window still has one call for
    // the end.
    expect([windows.politeWait('a', 0, 0), windows.politeWait('a', 0, 1)]).toEqual([0, 1_000]);
  });

  it('keep one call for each running reply, up to half', () => {
    const windows = new Windows([{ calls: 10, ms: 10_000 }]);
    for (let nth = 0; nth < 6; nth += 1) {
      windows.take('a');
      windows.answered('a', 0);
    }
    expect([0, 3, 4, 100].map((replies) => windows.politeWait('a', 0, replies) > 0)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    // Replies last about ten seconds, so within a one-second window two of 20 running replies are expected to end.
    const short = new Windows([{ calls: 10, ms: 1_000 }]);
    expect(short.politeWait('a', 0, 100)).toBe(0);
    for (let nth = 0; nth < 7; nth += 1) {
      short.take('a');
      short.answered('a', 0);
    }
    expect(short.politeWait('a', 0, 20)).toBe(0);
    expect(short.politeWait('a', 0, 21)).toBe(1_000);
  });

  it('stay closed for the time that the channel names', () => {
    const windows = new Windows(THREAD);
    windows.close('a', 5_000, 0);
    expect(windows.wait('a', 1_000)).toBe(4_000);
    expect(windows.wait('a', 5_000)).toBe(0);
  });
});

describe('reservations in a room for the ends of its replies', () => {
  const room: SharedWindows = { name: 'room', of: 'room', windows: [{ calls: 10, ms: 30_000 }] };
  const limits = {
    send: { gapMs: 0, shared: [room] },
    typing: { gapMs: 0, yields: true as const, shared: [room] },
  };

  async function calls(family: string, over: { readonly first?: boolean; readonly replies?: number }) {
    const clock = createVirtualClock();
    const budgets = createBudgets(limits, clock);
    let made = 0;
    for (let nth = 0; nth < 40; nth += 1) {
      const reply = turnId(`${nth % (over.replies ?? 1)}`);
      const moves: readonly Move[] = [{ family, essential: false, call: undefined }];
      const request = { tenant: 't', room: 'r', reply, moves, first: over.first ?? false, since: 0 };
      void budgets.permit(request, new AbortController().signal).then((permit) => {
        made += 1;
        permit.answered();
      });
      await clock.pass(10);
    }
    return { made, budgets };
  }

  it('are one slot per reply, up to half; first words ignore them, and optional calls leave half', async () => {
    expect((await calls('send', {})).made).toBe(9);
    expect((await calls('send', { replies: 3 })).made).toBe(7);
    expect((await calls('send', { replies: 8 })).made).toBe(5);
    expect((await calls('send', { replies: 8, first: true })).made).toBe(9);
    expect((await calls('typing', { first: true })).made).toBe(5);
  });

  it('end with the reply', async () => {
    const { budgets } = await calls('send', { replies: 3 });
    for (const reply of ['1', '2']) budgets.free(turnId(reply));
    const moves: readonly Move[] = [{ family: 'send', essential: false, call: undefined }];
    const request = { tenant: 't', room: 'r', reply: turnId('0'), moves, first: false, since: 0 };
    const permit = await budgets.permit(request, new AbortController().signal);
    expect(permit.move).toBe(moves[0]);
  });
});

describe('families that share windows', () => {
  const thread: SharedWindows = { name: 'thread', of: 'thread', windows: [{ calls: 2, ms: 1_000 }] };
  const tenant: SharedWindows = { name: 'tenant', of: 'tenant', windows: [{ calls: 3, ms: 1_000 }] };
  const room: SharedWindows = { name: 'room', of: 'room', windows: [{ calls: 1, ms: 1_000 }] };
  const limits: Readonly<Record<string, FamilyLimit>> = {
    edit: { gapMs: 0, shared: [room] },
    send: { gapMs: 0, shared: [thread, tenant] },
    stream: { gapMs: 0, shared: [thread, tenant] },
  };

  function setUp() {
    const clock = createVirtualClock();
    const budgets = createBudgets(limits, clock);
    const made: { readonly what: string; readonly at: number }[] = [];
    const ask = (family: string, thread: string) => {
      const move: Move = { family, essential: true, call: undefined };
      const room = thread.length === 1 ? 'r' : thread;
      const request = { tenant: 't', room, thread, reply: turnId(`${thread} ${family}`), moves: [move] };
      void budgets
        .permit({ ...request, first: true, since: 0 }, new AbortController().signal)
        .then((permit) => {
          made.push({ what: `${family} ${thread}`, at: clock.now() });
          permit.answered();
        });
    };
    const begun = clock.now();
    return { clock, budgets, ask, times: () => made.map(({ what, at }) => [what, at - begun] as const) };
  }

  it('fill them together, separately for each thread', async () => {
    const { clock, ask, times } = setUp();
    for (const family of ['send', 'stream', 'send']) ask(family, 'a');
    await clock.pass(500);
    expect(times()).toHaveLength(2);
    ask('send', 'b');
    await clock.pass(0);
    expect(times().at(-1)?.[0]).toBe('send b');
    await clock.pass(1_000);
    expect(times()).toHaveLength(4);
  });

  it('fill the tenant’s windows from all threads', async () => {
    const { clock, ask, times } = setUp();
    for (const name of ['a', 'b', 'c', 'd']) ask('send', name);
    await clock.pass(100);
    expect(times()).toHaveLength(3);
    await clock.pass(1_000);
    expect(times()).toHaveLength(4);
  });

  it('fill a room’s windows from all its threads', async () => {
    const { clock, ask, times } = setUp();
    for (const thread of ['a', 'b', 'other room']) ask('edit', thread);
    await clock.pass(100);
    expect(times().map(([what]) => what)).toEqual(['edit a', 'edit other room']);
    await clock.pass(1_000);
    expect(times()).toHaveLength(3);
  });

  it('close only the thread that the channel refused', async () => {
    const { clock, budgets, ask, times } = setUp();
    budgets.close({ tenant: 't', room: 'r', thread: 'a', family: 'send', ms: 5_000 });
    ask('send', 'a');
    ask('send', 'b');
    await clock.pass(4_000);
    expect(times().map(([what]) => what)).toEqual(['send b']);
    await clock.pass(1_100);
    expect(times().map(([what]) => what)).toEqual(['send b', 'send a']);
  });
});

describe('a call that was not made', () => {
  it('gives its slot back', () => {
    const windows = new Windows(THREAD);
    for (let nth = 0; nth < 7; nth += 1) windows.take('a');
    expect(windows.wait('a', 0)).toBe(Number.POSITIVE_INFINITY);
    windows.giveBack('a');
    expect(windows.wait('a', 0)).toBe(0);
  });
});
