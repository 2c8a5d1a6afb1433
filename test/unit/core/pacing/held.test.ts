/** Tests the calls that a reply reserves and releases, and the waits between its own calls. */

import { describe, expect, it } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import { aMove } from '../../../fakes/pacing/paced-reply.ts';
import { timeBudgets as setUp } from '../../../fakes/pacing/timed-budgets.ts';

const MINUTE_MS = 60_000;
const final = (family: string) => aMove(family, { essential: true });

describe('a reply', () => {
  it('that has ended can start again in another tenant', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    const begin = (tenant: string) => budgets.begin({ reply: turnId('one'), tenant, needs: { note: 1 } });
    budgets.free(turnId('never begun'));
    begin('t1');
    // A second `begin` does not move a running reply to another tenant, so only t1's single slot is reserved.
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

  it('that starts again in the same tenant reserves its calls again', async () => {
    const { clock, budgets, beside } = setUp({ note: { gapMs: 0, perMinute: 1 } });
    const begin = () => budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
    begin();
    budgets.free(turnId('one'));
    begin();
    const asked = beside(0);
    await clock.pass(0);
    expect(asked.at).toBe('none');
  });

  it('that has ended leaves no timer if no request waits', async () => {
    const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute: 5 } });
    const asked = ask('one', [aMove('note')]);
    await clock.pass(0);
    asked.permit?.answered();
    budgets.free(turnId('one'));
    expect(clock.waiting).toBe(0);
  });

  it('reserves its calls once, however often it starts', async () => {
    const { clock, budgets, ask } = setUp({ note: { gapMs: 0, perMinute: 3 } });
    for (let nth = 0; nth < 3; nth += 1)
      budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 2 } });
    budgets.begin({ reply: turnId('one'), tenant: 't1', needs: { note: 1 } });
    const others = ['a', 'b', 'c'].map((reply) => ask(reply, [final('note')]));
    await clock.pass(0);
    expect(others.map(({ at }) => at)).toEqual([0, 0, undefined]);
  });

  it('keeps a strict gap from the answer on, unless it has ended', async () => {
    const { clock, budgets, ask } = setUp({ stream: { gapMs: 1_000, strict: true } });
    const first = ask('one', [aMove('stream')]);
    await clock.pass(400);
    budgets.free(turnId('one'));
    first.permit?.answered();
    const anew = ask('one', [aMove('stream')]);
    await clock.pass(0);
    expect(anew.at).toBe(400);
  });

  it('keeps any other gap from the call on', async () => {
    const { clock, ask } = setUp({ edit: { gapMs: 1_250 } });
    const first = ask('one', [aMove('edit')]);
    await clock.pass(300);
    first.permit?.answered();
    const next = ask('one', [aMove('edit')]);
    await clock.pass(5_000);
    expect(next.at).toBe(1_250);
  });

  it('with a reserved slot for its end waits while the family is closed', async () => {
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

  it('that ends with one call and needs another one reserves that as well', async () => {
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

  it('in a rush delays optional calls, but not calls that release its reservation', async () => {
    // Two replies that begin within ten seconds count as a rush of twelve per minute.
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

  it('that ends does not delay the progress of others', async () => {
    const { clock, ask } = setUp({ note: { gapMs: 0, perMinute: 10 } });
    ask('one', [final('note')]);
    await clock.pass(0);
    const progress = ask('two', [aMove('note')]);
    await clock.pass(0);
    expect(progress.at).toBe(0);
  });

  it('waits for the earliest of its alternatives, and uses the best one that is allowed', async () => {
    const { clock, budgets, ask } = setUp({ edit: { gapMs: 3_000 }, post: { gapMs: 1_000 } });
    const moves = [aMove('edit'), aMove('post')];
    for (const family of ['edit', 'post']) {
      const asked = ask('one', [aMove(family)]);
      await clock.pass(0);
      asked.permit?.answered();
    }
    const asked = ask('one', moves);
    await clock.pass(10_000);
    expect([asked.at, asked.permit?.move.family]).toEqual([1_000, 'post']);
    budgets.free(turnId('one'));
    const unhurried = ask('one', moves);
    await clock.pass(0);
    expect([unhurried.at, unhurried.permit?.move.family]).toEqual([10_000, 'edit']);
  });
});
