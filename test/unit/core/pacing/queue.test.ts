/** Tests the order of requests that wait for a permit, and the cleanup after each request. */

import { describe, expect, it } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import { aMove } from '../../../fakes/pacing/paced-reply.ts';
import { timeBudgets as setUp } from '../../../fakes/pacing/timed-budgets.ts';

const MINUTE_MS = 60_000;
const final = (family: string) => aMove(family, { essential: true });

describe('the queue', () => {
  const closed = () => {
    const rig = setUp({ soon: { gapMs: 0 }, late: { gapMs: 0 }, other: { gapMs: 0 } });
    const close = (family: string, ms: number) => rig.budgets.close({ tenant: 't1', room: 'r', family, ms });
    close('soon', 1_000);
    close('late', 10_000);
    return { ...rig, close };
  };

  it('is reviewed when its first request may be granted, in any order of arrival', async () => {
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

  it('has no timer once all requests were withdrawn, and continues with the next request', async () => {
    const { clock, budgets, ask } = closed();
    const gone = new AbortController();
    const request = { tenant: 't1', room: 'r', first: true, since: 0, reply: turnId('gone') };
    const waits = budgets.permit({ ...request, moves: [final('late')] }, gone.signal);
    await clock.pass(500);
    gone.abort('withdrawn');
    await expect(waits).rejects.toBe('withdrawn');
    expect(clock.waiting).toBe(0);
    const next = ask('next', [final('soon')]);
    await clock.pass(500);
    expect(next.at).toBe(1_000);
  });

  it('has a timer for a request that comes after all others were withdrawn', async () => {
    const { clock, budgets, ask } = closed();
    const gone = new AbortController();
    const request = { tenant: 't1', room: 'r', first: true, since: 0, reply: turnId('gone') };
    const waits = budgets.permit({ ...request, moves: [final('late')] }, gone.signal).catch(() => undefined);
    await clock.pass(500);
    gone.abort('withdrawn');
    await waits;
    const next = ask('next', [final('late')]);
    await clock.pass(10_000);
    expect(next.at).toBe(10_000);
  });

  it('keeps no listener after a permit', async () => {
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
    const request = { tenant: 't1', room: 'r', first: true, since: 0, reply: turnId('one') };
    const permit = budgets.permit({ ...request, moves: [final('soon')] }, signal);
    await clock.pass(0);
    expect(listening.length).toBeGreaterThan(0);
    await clock.pass(1_000);
    await permit;
    expect(listening).toEqual([]);
  });

  it('treats a request as urgent if one alternative ends its reply', async () => {
    const { clock, ask } = setUp({ edit: { gapMs: 0, perMinute: 1 } });
    const used = ask('used', [final('edit')]);
    await clock.pass(0);
    used.permit?.answered();
    const first = ask('first', [aMove('edit')], { first: true });
    const ends = ask('ends', [aMove('edit'), final('edit')]);
    await clock.pass(MINUTE_MS);
    expect([first.at, ends.at]).toEqual([undefined, MINUTE_MS]);
  });
});
