import { describe, expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { Leave } from '../../../src/core/stores.ts';
import { createBudgets } from '../../../src/store/budgets.ts';
import { manualClock } from '../../contract/store/manual-clock.ts';

const OK: Leave = { ok: true };
const waits = (waitMs: number): Leave => ({ ok: false, waitMs });

function setUp() {
  const clock = manualClock();
  const limits = { edit: { gapMs: 1_000 }, start: { gapMs: 0, perMinute: 3 } };
  const budgets = createBudgets({ limits, clock });
  const take = (family: string, more: { reply?: string; tenant?: string; essential?: boolean } = {}): Leave =>
    budgets.take({
      reply: turnId(more.reply ?? 'r1'),
      tenant: more.tenant ?? 't1',
      family,
      essential: more.essential ?? false,
    });
  return { clock, budgets, take };
}

describe('budgets', () => {
  it('keeps a gap between the calls of one reply and family', () => {
    const { clock, take } = setUp();
    expect(take('edit')).toEqual(OK);
    clock.advance(300);
    expect(take('edit')).toEqual(waits(700));
    expect(take('edit', { reply: 'r2' })).toEqual(OK);
    expect(take('start')).toEqual(OK);
    clock.advance(700);
    expect(take('edit')).toEqual(OK);
  });

  it('lets an essential call go before the gap is over, and counts the gap from it', () => {
    const { clock, take } = setUp();
    take('edit');
    clock.advance(300);
    expect(take('edit', { essential: true })).toEqual(OK);
    clock.advance(700);
    expect(take('edit')).toEqual(waits(300));
  });

  it('frees a slot of the minute 60 s after its use, for each tenant', () => {
    const { clock, take } = setUp();
    for (let n = 0; n < 3; n++) {
      expect(take('start', { reply: `r${n}` })).toEqual(OK);
      clock.advance(10_000);
    }
    expect(take('start', { reply: 'late' })).toEqual(waits(30_000));
    expect(take('start', { reply: 'late', essential: true })).toEqual(waits(30_000));
    expect(take('start', { tenant: 't2' })).toEqual(OK);
    clock.advance(30_000);
    expect(take('start', { reply: 'late' })).toEqual(OK);
    expect(take('start', { reply: 'later' })).toEqual(waits(10_000));
  });

  it('stays closed as long as the channel said, for everyone of the tenant', () => {
    const { clock, budgets, take } = setUp();
    budgets.close({ tenant: 't1', family: 'edit', ms: 5_000 });
    expect(take('edit', { essential: true })).toEqual(waits(5_000));
    expect(take('edit', { tenant: 't2' })).toEqual(OK);
    clock.advance(5_000);
    expect(take('edit')).toEqual(OK);
  });

  it('forgets a reply that is over', () => {
    const { budgets, take } = setUp();
    take('edit');
    budgets.free(turnId('r1'));
    expect(take('edit')).toEqual(OK);
  });

  it('never waits longer than the limit itself when the clock was set back', () => {
    const { clock, budgets, take } = setUp();
    take('edit');
    for (let n = 0; n < 3; n++) take('start');
    clock.advance(-3_600_000);
    expect(take('edit')).toEqual(waits(1_000));
    expect(take('start')).toEqual(waits(60_000));
    budgets.close({ tenant: 't1', family: 'edit', ms: 5_000 });
    clock.advance(-3_600_000);
    expect(take('edit')).toEqual(waits(5_000));
  });

  it('gives free leave for a family without a limit', () => {
    const { take } = setUp();
    for (let n = 0; n < 100; n++) expect(take('status')).toEqual(OK);
  });
});
