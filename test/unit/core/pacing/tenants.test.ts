/** State of a channel's budgets: by tenant, by reply, for calls beside replies, and learned limits. */

import { describe, expect, it } from 'vitest';
import type { SideCall } from '../../../../src/core/channel/host.ts';
import type { FamilyLimit } from '../../../../src/core/channel/limits.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { createBudgets, type LearnedLimits } from '../../../../src/core/pacing/budgets.ts';
import type { Leave, Wish } from '../../../../src/core/pacing/wish.ts';
import type { Move } from '../../../../src/core/screen.ts';
import { aMove } from '../../../fakes/pacing/paced-reply.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const MINUTE_MS = 60_000;

function setUp(limits: Readonly<Record<string, FamilyLimit>>, learned?: LearnedLimits) {
  const clock = createVirtualClock();
  const begun = clock.now();
  const budgets = createBudgets({ limits, clock, ...(learned && { learned }) });
  const { signal } = new AbortController();
  const callOf = (over: Partial<SideCall> = {}) => ({ tenant: 't1', room: 'r', family: 'note', ...over });
  return {
    ...{ clock, budgets, callOf },
    /** Milliseconds after the start at which a call beside replies was given leave; "none" where it was refused. */
    beside(waitMs: number, over: Partial<SideCall> = {}) {
      const asked: { at?: number | 'none' } = {};
      void budgets.leaveBeside(callOf(over), waitMs, signal).then((leave) => {
        asked.at = leave === undefined ? 'none' : clock.now() - begun;
        leave?.answered();
      });
      return asked;
    },
    /** A reply's wish; filled in when it comes. */
    ask(reply: string, moves: readonly Move[], over: Partial<Wish> = {}) {
      const asked: { at?: number; leave?: Leave } = {};
      const wish = { tenant: 't1', room: 'r', first: false, since: clock.now(), ...over };
      void budgets.leave({ ...wish, reply: turnId(reply), moves }, signal).then((leave) => {
        asked.at = clock.now() - begun;
        asked.leave = leave;
      });
      return asked;
    },
  };
}

const final = (family: string) => aMove(family, { essential: true });

describe('calls beside replies', () => {
  it('may wait again once those that waited were made', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
    const waiting = Array.from({ length: 1_000 }, () => beside(5_000));
    const refused = beside(5_000);
    await clock.pass(0);
    expect(refused.at).toBe('none');
    await clock.pass(5_000);
    expect(waiting.every(({ at }) => at === 'none')).toBe(true);
    const next = beside(5_000);
    await clock.pass(0);
    expect(next.at).toBeUndefined();
  });

  it('wait where a slot is free within their time, and are refused at once where none is', async () => {
    const { clock, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    beside(0);
    await clock.pass(0);
    const [patient, hasty] = [beside(MINUTE_MS + 1), beside(MINUTE_MS)];
    await clock.pass(0);
    expect([patient.at, hasty.at]).toEqual([undefined, 'none']);
    await clock.pass(MINUTE_MS);
    expect(patient.at).toBe(MINUTE_MS);
    expect(clock.waiting).toBe(0);
  });

  it('leave no timer behind when they come sooner', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 100 } });
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 3_000 });
    const asked = beside(50_000);
    await clock.pass(3_000);
    expect(asked.at).toBe(3_000);
    expect(clock.waiting).toBe(0);
  });

  it('are refused with the signal, also before they wait', async () => {
    const { budgets, callOf } = setUp({});
    const ended = AbortSignal.abort('stopped');
    await expect(budgets.leaveBeside(callOf(), 1_000, ended)).rejects.toBe('stopped');
  });

  it('need not be spread, and do not make replies wait for the spread', async () => {
    const { clock, beside, ask } = setUp({ note: { gapMs: 0, perMinute: 10 } });
    const calls = [beside(0), beside(0), beside(0)];
    const progress = ask('one', [aMove('note')]);
    await clock.pass(0);
    expect([...calls, progress].map(({ at }) => at)).toEqual([0, 0, 0, 0]);
  });

  it('keep no gap between them', async () => {
    const { clock, beside } = setUp({ note: { gapMs: 5_000 } });
    const calls = [beside(0), beside(0)];
    await clock.pass(0);
    expect(calls.map(({ at }) => at)).toEqual([0, 0]);
  });

  it('that could not wait close the family when they were refused', async () => {
    const { clock, budgets, beside, callOf } = setUp({ note: { gapMs: 0, perMinute: 100 } });
    budgets.leaveAtOnce(callOf()).answered(2_000);
    const asked = beside(10_000);
    await clock.pass(2_000);
    expect(asked.at).toBe(2_000);
  });
});

describe('a reply', () => {
  it('that is over may begin again elsewhere', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    const begin = (tenant: string) => budgets.begin({ reply: turnId('one'), tenant, needs: { note: 1 } });
    budgets.free(turnId('never begun'));
    begin('t1');
    // It stays where it began.
    begin('t2');
    const [first, second] = [beside(0), beside(0, { tenant: 't2' })];
    await clock.pass(0);
    expect([first.at, second.at]).toEqual(['none', 0]);
    budgets.free(turnId('one'));
    begin('t3');
    const third = beside(0, { tenant: 't3' });
    await clock.pass(0);
    expect(third.at).toBe('none');
  });

  it('that begins again where it was holds anew what it needs', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    const begin = () => budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
    begin();
    budgets.free(turnId('one'));
    begin();
    const asked = beside(0);
    await clock.pass(0);
    expect(asked.at).toBe('none');
  });

  it('that is over leaves no timer where none waits', async () => {
    const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute: 5 } });
    const asked = ask('one', [aMove('note')]);
    await clock.pass(0);
    asked.leave?.answered();
    budgets.free(turnId('one'));
    expect(clock.waiting).toBe(0);
  });

  it('holds what it needs once, however often it begins', async () => {
    const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute: 3 } });
    for (let nth = 0; nth < 3; nth += 1)
      budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 2 } });
    budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
    const others = ['a', 'b', 'c'].map((reply) => ask(reply, [final('note')]));
    await clock.pass(0);
    expect(others.map(({ at }) => at)).toEqual([0, 0, undefined]);
  });

  it('keeps a strict gap from the answer on, unless it is over by then', async () => {
    const { clock, budgets, ask } = setUp({ stream: { gapMs: 1_000, strict: true } });
    const first = ask('one', [aMove('stream')]);
    await clock.pass(400);
    budgets.free(turnId('one'));
    first.leave?.answered();
    const anew = ask('one', [aMove('stream')]);
    await clock.pass(0);
    expect(anew.at).toBe(400);
  });

  it('keeps any other gap from the call on', async () => {
    const { clock, ask } = setUp({ edit: { gapMs: 1_250 } });
    const first = ask('one', [aMove('edit')]);
    await clock.pass(300);
    first.leave?.answered();
    const next = ask('one', [aMove('edit')]);
    await clock.pass(5_000);
    expect(next.at).toBe(1_250);
  });

  it('with a slot held for its end waits while the family is closed', async () => {
    const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute: 10 } });
    budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 5_000 });
    const end = ask('one', [final('note')]);
    await clock.pass(10_000);
    expect(end.at).toBe(5_000);
  });

  it('makes no call that would leave too few of its family for its end', async () => {
    for (const [perMinute, isMade] of [
      [2, true],
      [1, false],
    ] as const) {
      const { clock, ask } = setUp({ note: { gapMs: 0, perMinute } });
      const asked = ask('one', [aMove('note', { needs: { note: 1 } })], { first: true });
      await clock.pass(10 * MINUTE_MS);
      expect(asked.at === 0).toBe(isMade);
    }
  });

  it('that ends with one call and needs another holds that, too', async () => {
    for (const [perMinute, isMade] of [
      [2, true],
      [1, false],
    ] as const) {
      const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute } });
      budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
      const asked = ask('one', [aMove('note', { essential: true, needs: { note: 1 } })]);
      await clock.pass(0);
      expect(asked.at === 0).toBe(isMade);
    }
  });

  it('in a rush holds back what it could do without, not what it gives up its held call for', async () => {
    // Two that begin in ten seconds make twelve a minute.
    for (const [perMinute, held, isMade] of [
      [12, 1, true],
      [11, 1, false],
      [11, 0, true],
    ] as const) {
      const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute } });
      for (const reply of ['one', 'two'])
        budgets.begin({ reply: turnId(reply), tenant: 't1', needs: { note: 1 } });
      const asked = ask('one', [aMove('note', { needs: { note: held } })], { first: true });
      await clock.pass(0);
      expect(asked.at === 0).toBe(isMade);
    }
  });

  it('that ends does not make the progress of others wait', async () => {
    const { clock, ask } = setUp({ note: { gapMs: 0, perMinute: 10 } });
    ask('one', [final('note')]);
    await clock.pass(0);
    const progress = ask('two', [aMove('note')]);
    await clock.pass(0);
    expect(progress.at).toBe(0);
  });

  it('waits for the least of its alternatives, and takes the best that may be made', async () => {
    const { clock, budgets, ask } = setUp({ edit: { gapMs: 3_000 }, post: { gapMs: 1_000 } });
    const moves = [aMove('edit'), aMove('post')];
    for (const family of ['edit', 'post']) {
      const asked = ask('one', [aMove(family)]);
      await clock.pass(0);
      asked.leave?.answered();
    }
    const asked = ask('one', moves);
    await clock.pass(10_000);
    expect([asked.at, asked.leave?.move.family]).toEqual([1_000, 'post']);
    budgets.free(turnId('one'));
    const unhurried = ask('one', moves);
    await clock.pass(0);
    expect([unhurried.at, unhurried.leave?.move.family]).toEqual([10_000, 'edit']);
  });
});

describe('tenants', () => {
  it('are forgotten after ten thousand others', async () => {
    const { clock, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    const use = async (tenant: string) => {
      const asked = beside(0, { tenant });
      await clock.pass(0);
      return asked.at;
    };
    expect([await use('first'), await use('second'), await use('first')]).toEqual([0, 0, 'none']);
    for (let nth = 0; nth < 9_998; nth += 1) {
      beside(0, { tenant: `t${nth}` });
      if (nth % 500 === 0) await clock.pass(0);
    }
    // The first was used after the second.
    expect(await use('first')).toBe('none');
    expect(await use('one more')).toBe(0);
    expect([await use('first'), await use('second')]).toEqual(['none', 0]);
  });
});

describe('what refusals taught', () => {
  it('is saved under its tenant, by family, and loaded for the tenant that comes back', async () => {
    const saved: unknown[] = [];
    const asked: string[] = [];
    const { clock, budgets, beside } = setUp(
      { note: { gapMs: 0, perMinute: 10 }, edit: { gapMs: 0, perMinute: 20 } },
      {
        load: async (tenant) => {
          asked.push(tenant);
          return tenant === 't2' ? { note: 1 } : {};
        },
        save: (...each) => saved.push(each),
      },
    );
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 10 });
    budgets.close({ tenant: 't1', room: 'r', family: 'edit', ms: 10 });
    expect(saved).toEqual([
      ['t1', { note: 7 }],
      ['t1', { note: 7, edit: 14 }],
    ]);
    beside(0, { tenant: 't2' });
    await clock.pass(0);
    const second = beside(0, { tenant: 't2' });
    await clock.pass(0);
    expect([second.at, asked]).toEqual(['none', ['t1', 't2']]);
  });

  it('costs nothing where it cannot be loaded', async () => {
    const learned = { load: () => Promise.reject(new Error('locked')), save: () => undefined };
    const { clock, beside } = setUp({ note: { gapMs: 0, perMinute: 2 } }, learned);
    const calls = [beside(0), beside(0), beside(0)];
    await clock.pass(0);
    expect(calls.map(({ at }) => at)).toEqual([0, 0, 'none']);
  });
});

describe('a place that several limits count', () => {
  const limits = (over: Partial<FamilyLimit>): Readonly<Record<string, FamilyLimit>> => ({
    note: { gapMs: 0, perMinute: 100, ...over },
  });

  it('is closed by a refusal, and the family where the place was closed for as long', async () => {
    const { clock, budgets, beside } = setUp(limits({ perRoom: { perSecond: 1, burst: 5 } }));
    const refuse = (ms: number) => budgets.close({ tenant: 't1', room: 'r', family: 'note', ms });
    refuse(5_000);
    const elsewhere = beside(0, { room: 's' });
    await clock.pass(0);
    expect(elsewhere.at).toBe(0);
    // Shorter than what is left: it was another limit that refused.
    refuse(5_000);
    const other = beside(10_000, { room: 't' });
    await clock.pass(5_000);
    expect(other.at).toBe(5_000);
  });

  it('is closed for longer by a refusal that says so', async () => {
    const { clock, budgets, beside } = setUp(limits({ perRoom: { perSecond: 1, burst: 5 } }));
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 5_000 });
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 5_001 });
    const [here, elsewhere] = [beside(10_000), beside(0, { room: 's' })];
    await clock.pass(6_000);
    expect([here.at, elsewhere.at]).toEqual([5_001, 0]);
  });

  it('keeps calls for the ends of its own replies only', async () => {
    const window = { windows: [{ calls: 10, ms: 30_000 }] };
    const { clock, ask } = setUp({ note: { gapMs: 0, shared: [{ name: 'rooms', of: 'room', ...window }] } });
    const notes = async (room: string, replies: number) => {
      const asked = Array.from({ length: 10 }, (_, nth) =>
        ask(`${room} ${nth % replies}`, [aMove('note')], { room }),
      );
      await clock.pass(0);
      return asked.filter(({ at }) => at === 0).length;
    };
    expect([await notes('busy', 4), await notes('calm', 1)]).toEqual([6, 9]);
  });

  it('keeps a thread apart from the room of the same name', async () => {
    const window = { windows: [{ calls: 10, ms: 10_000 }] };
    const { clock, ask, budgets } = setUp({
      note: { gapMs: 0, shared: [{ name: 'threads', of: 'thread', ...window }] },
      edit: { gapMs: 0, shared: [{ name: 'rooms', of: 'room', ...window }] },
    });
    // Three replies write notes in the thread: each keeps a call there for its end, and none in the room.
    for (const reply of ['a', 'b', 'c', 'd']) {
      const asked = ask(reply, [aMove('note')]);
      await clock.pass(0);
      asked.leave?.answered();
    }
    const edits = Array.from({ length: 10 }, () => ask('e', [aMove('edit')]));
    await clock.pass(0);
    expect(edits.filter(({ at }) => at === 0)).toHaveLength(9);
    budgets.free(turnId('e'));
  });
});

describe('the queue', () => {
  const closed = () => {
    const rig = setUp({ soon: { gapMs: 0 }, late: { gapMs: 0 }, other: { gapMs: 0 } });
    const close = (family: string, ms: number) => rig.budgets.close({ tenant: 't1', room: 'r', family, ms });
    close('soon', 1_000);
    close('late', 10_000);
    return { ...rig, close };
  };

  it('looks when the first of those that wait may go, in whatever order they came', async () => {
    for (const families of [
      ['soon', 'late'],
      ['late', 'soon'],
    ]) {
      const { clock, ask } = closed();
      const asked = families.map((family) => ask(family, [final(family)]));
      await clock.pass(0);
      expect(clock.waiting).toBe(1);
      await clock.pass(20_000);
      expect(asked.map(({ at }) => at).toSorted()).toEqual([1_000, 10_000].toSorted());
    }
  });

  it('waits for nothing once all who waited have withdrawn, and goes on with who comes then', async () => {
    const { clock, budgets, ask } = closed();
    const gone = new AbortController();
    const wish = { tenant: 't1', room: 'r', first: true, since: 0, reply: turnId('gone') };
    const waits = budgets.leave({ ...wish, moves: [final('late')] }, gone.signal);
    await clock.pass(500);
    gone.abort('withdrawn');
    await expect(waits).rejects.toBe('withdrawn');
    expect(clock.waiting).toBe(0);
    const next = ask('next', [final('soon')]);
    await clock.pass(500);
    expect(next.at).toBe(1_000);
  });

  it('keeps no listener of who was given leave', async () => {
    const { clock, budgets } = closed();
    const { signal } = new AbortController();
    const listening: unknown[] = [];
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listening.push(given[1]);
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      if (given[0] === 'abort') listening.splice(listening.indexOf(given[1]), 1);
      remove(...given);
    };
    const wish = { tenant: 't1', room: 'r', first: true, since: 0, reply: turnId('one') };
    const leave = budgets.leave({ ...wish, moves: [final('soon')] }, signal);
    await clock.pass(0);
    expect(listening.length).toBeGreaterThan(0);
    await clock.pass(1_000);
    await leave;
    expect(listening).toEqual([]);
  });

  it('takes a wish for urgent of which one alternative ends its reply', async () => {
    const { clock, ask } = setUp({ edit: { gapMs: 0, perMinute: 1 } });
    const used = ask('used', [final('edit')]);
    await clock.pass(0);
    used.leave?.answered();
    const first = ask('first', [aMove('edit')], { first: true });
    const ends = ask('ends', [aMove('edit'), final('edit')]);
    await clock.pass(MINUTE_MS);
    expect([first.at, ends.at]).toEqual([undefined, MINUTE_MS]);
  });
});
