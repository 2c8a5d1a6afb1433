/**
 * Tests the state that a channel's budgets keep for tenants, rooms, threads and side calls, and the limits that the
 * budgets learn from refusals.
 */

import { describe, expect, it } from 'vitest';
import { callHistory } from '../../../../src/bridge/channels.ts';
import type { FamilyLimit } from '../../../../src/core/channel/limits.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { aMove } from '../../../fakes/pacing/paced-reply.ts';
import { timeBudgets as setUp } from '../../../fakes/pacing/timed-budgets.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../../slack/keyed.ts';

const MINUTE_MS = 60_000;

describe('side calls', () => {
  it('may wait again once earlier ones have stopped waiting', async () => {
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

  it('wait if a slot becomes free in time, and are refused at once otherwise', async () => {
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

  it('leave no timer if their permit comes early', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 100 } });
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 3_000 });
    const asked = beside(50_000);
    await clock.pass(3_000);
    expect(asked.at).toBe(3_000);
    expect(clock.waiting).toBe(0);
  });

  it('reject with the signal, even before they wait', async () => {
    const { budgets, callOf } = setUp({});
    const ended = AbortSignal.abort('stopped');
    await expect(budgets.permitSideCall(callOf(), 1_000, ended)).rejects.toBe('stopped');
  });

  it('are not spread, and do not change the spread of replies', async () => {
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

  it('that could not wait close the family when they are refused', async () => {
    const { clock, budgets, beside, callOf } = setUp({ note: { gapMs: 0, perMinute: 100 } });
    budgets.permitAtOnce(callOf()).answered(2_000);
    const asked = beside(10_000);
    await clock.pass(2_000);
    expect(asked.at).toBe(2_000);
  });
});

describe('tenants', () => {
  it('are dropped after ten thousand others', async () => {
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
    // The first tenant was used again after the second, so "one more" replaces the second.
    expect(await use('first')).toBe('none');
    expect(await use('one more')).toBe(0);
    expect([await use('first'), await use('second')]).toEqual(['none', 0]);
  });
});

describe('learned limits', () => {
  it('are saved by tenant and family, and loaded when the tenant comes back', async () => {
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
      ['t1', { note: 7 }, 'note'],
      ['t1', { note: 7, edit: 14 }, 'edit'],
    ]);
    beside(0, { tenant: 't2' });
    await clock.pass(0);
    const second = beside(0, { tenant: 't2' });
    await clock.pass(0);
    expect([second.at, asked]).toEqual(['none', ['t1', 't2']]);
  });

  it('are optional: a failed load changes nothing else', async () => {
    const learned = { load: () => Promise.reject(new Error('locked')), save: () => undefined };
    const { clock, beside } = setUp({ note: { gapMs: 0, perMinute: 2 } }, learned);
    const calls = [beside(0), beside(0), beside(0)];
    await clock.pass(0);
    expect(calls.map(({ at }) => at)).toEqual([0, 0, 'none']);
  });
});

describe("a tenant's calls", () => {
  const limits = { note: { gapMs: 0, perMinute: 3 }, free: { gapMs: 0 } };
  const key = JSON.stringify(['books', 't1']);
  /** Processes that share the record of calls. */
  function takeover() {
    const clock = createVirtualClock();
    const calls = memoryKeyed();
    const boot = (process: string) => {
      const history = callHistory('books', process, { calls, clock });
      return setUp(limits, undefined, { clock, history });
    };
    return { calls, clock, boot };
  }

  it('count in the process that takes the tenant over', async () => {
    const { clock, boot } = takeover();
    const first = boot('first');
    first.beside(0);
    first.beside(0);
    await clock.pass(1_000);
    const next = boot('next');
    next.budgets.begin({ reply: turnId('r1'), tenant: 't1', needs: {} });
    await clock.pass(0);
    const calls = [next.beside(0), next.beside(0)];
    await clock.pass(0);
    expect(calls.map(({ at }) => at)).toEqual([0, 'none']);
    await clock.pass(MINUTE_MS - 1_000);
    const later = next.beside(0);
    await clock.pass(0);
    expect(later.at).toBe(MINUTE_MS - 1_000);
  });

  it('count in the processes that run at the same time, such as those of a replica that does not own the tenant', async () => {
    const { clock, boot } = takeover();
    const [owner, other] = [boot('owner'), boot('other')];
    other.beside(0);
    other.beside(0);
    await clock.pass(500);
    owner.beside(0);
    await clock.pass(1_000);
    const more = [owner.beside(0), other.beside(0)];
    await clock.pass(0);
    // The other process learns of the owner's call when it saves its own next call.
    expect(more.map(({ at }) => at)).toEqual(['none', 1_500]);
    await clock.pass(MINUTE_MS - 500);
    const [next] = [owner.beside(0)];
    await clock.pass(0);
    expect(next?.at).toBe(MINUTE_MS + 1_000);
  });

  it('are saved at most once a second, with those in flight, and without families that have no limit', async () => {
    const { calls, clock, boot } = takeover();
    const { budgets, beside, callOf } = boot('a');
    const begun = clock.now();
    budgets.permitAtOnce(callOf());
    beside(0);
    beside(0, { family: 'free' });
    await clock.pass(1_000);
    expect(await calls.get(key)).toEqual({ a: { note: [begun, begun + 1_000] } });
  });

  it('are not saved once the tenant was removed', async () => {
    const { calls, clock, boot } = takeover();
    const { budgets, beside } = boot('a');
    beside(0);
    budgets.forget('t1');
    await clock.pass(2_000);
    expect(await calls.get(key)).toBeUndefined();
  });

  it('do not matter if their record cannot be read', async () => {
    const failing = () => Promise.reject(new Error('locked'));
    const history = { load: failing, save: failing };
    const { clock, beside } = setUp(limits, undefined, { history });
    const asked = beside(0);
    await clock.pass(0);
    expect(asked.at).toBe(0);
  });
});

describe('a place with several limits', () => {
  const limits = (over: Partial<FamilyLimit>): Readonly<Record<string, FamilyLimit>> => ({
    note: { gapMs: 0, perMinute: 100, ...over },
  });

  it('is closed by a refusal; the family is closed if the place was closed for at least as long', async () => {
    const { clock, budgets, beside } = setUp(limits({ perRoom: { perSecond: 1, burst: 5 } }));
    const refuse = (ms: number) => budgets.close({ tenant: 't1', room: 'r', family: 'note', ms });
    refuse(5_000);
    const elsewhere = beside(0, { room: 's' });
    await clock.pass(0);
    expect(elsewhere.at).toBe(0);
    // The room was already closed for as long as this refusal says, so the room's limit cannot have caused the
    // refusal. Therefore the whole family closes.
    refuse(5_000);
    const other = beside(10_000, { room: 't' });
    await clock.pass(5_000);
    expect(other.at).toBe(5_000);
  });

  it('is closed for longer by a longer refusal', async () => {
    const { clock, budgets, beside } = setUp(limits({ perRoom: { perSecond: 1, burst: 5 } }));
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 5_000 });
    budgets.close({ tenant: 't1', room: 'r', family: 'note', ms: 5_001 });
    const [here, elsewhere] = [beside(10_000), beside(0, { room: 's' })];
    await clock.pass(6_000);
    expect([here.at, elsewhere.at]).toEqual([5_001, 0]);
  });

  it('reserves calls only for the ends of its own replies', async () => {
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

  it('distinguishes a thread from a room of the same name', async () => {
    const window = { windows: [{ calls: 10, ms: 10_000 }] };
    const { clock, ask, budgets } = setUp({
      note: { gapMs: 0, shared: [{ name: 'threads', of: 'thread', ...window }] },
      edit: { gapMs: 0, shared: [{ name: 'rooms', of: 'room', ...window }] },
    });
    // Four replies write notes in the thread. Each reserves one call of the thread for its end, and none of the room.
    for (const reply of ['a', 'b', 'c', 'd']) {
      const asked = ask(reply, [aMove('note')]);
      await clock.pass(0);
      asked.permit?.answered();
    }
    const edits = Array.from({ length: 10 }, () => ask('e', [aMove('edit')]));
    await clock.pass(0);
    expect(edits.filter(({ at }) => at === 0)).toHaveLength(9);
    budgets.free(turnId('e'));
  });
});
