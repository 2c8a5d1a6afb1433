/** Tests when the group commit flushes, and how many writes share one flush. */

import { describe, expect, it } from 'vitest';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createFlushSchedule } from '../../../src/store/sqlite/flush-schedule.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

function open() {
  const clock = createVirtualClock();
  const begun = clock.now();
  const flushes: number[] = [];
  const schedule = createFlushSchedule(() => flushes.push(clock.now() - begun), clock);
  return {
    ...{ clock, flushes, schedule },
    /** Requests a flush `times` times at the same moment, each time for a write that may wait. */
    async gather(times: number) {
      for (let nth = 0; nth < times; nth += 1) schedule.gathering();
      await clock.pass(0);
    },
  };
}

describe('the flush schedule', () => {
  it('flushes once for all concurrent urgent writes, after the events that are due', async () => {
    const { clock, flushes, schedule } = open();
    schedule.urgently();
    schedule.urgently();
    schedule.gathering();
    expect(flushes).toEqual([]);
    await clock.pass(0);
    expect(flushes).toEqual([0]);
    schedule.urgently();
    await clock.pass(0);
    expect(flushes).toEqual([0, 0]);
  });

  it('gathers for 20 ms from the last flush once a second has 40 writes', async () => {
    const { clock, flushes, schedule, gather } = open();
    await gather(39);
    expect(flushes).toEqual([0]);
    await clock.pass(5);
    // The first of these two writes is the fortieth of this second, so both wait for the next flush.
    await gather(1);
    await gather(1);
    expect(flushes).toEqual([0]);
    await clock.pass(14);
    expect(flushes).toEqual([0]);
    await clock.pass(1);
    expect(flushes).toEqual([0, 20]);
    await clock.pass(20);
    schedule.gathering();
    await clock.pass(0);
    expect(flushes).toEqual([0, 20, 40]);
  });

  it('is busy for the second after a busy one, and no longer', async () => {
    const { clock, flushes, gather } = open();
    await gather(40);
    await clock.pass(1_000);
    await gather(1);
    await clock.pass(1);
    await gather(1);
    expect(flushes).toEqual([0, 1_000]);
    await clock.pass(998);
    await gather(1);
    await clock.pass(1);
    await gather(1);
    expect(flushes).toEqual([0, 1_000, 1_020, 1_999, 2_000]);
  });

  it('is not busy after a second without writes', async () => {
    const { clock, flushes, gather } = open();
    await gather(40);
    await clock.pass(2_000);
    await gather(1);
    await clock.pass(1);
    await gather(1);
    expect(flushes).toEqual([0, 2_000, 2_001]);
  });

  it('lets an urgent write replace a gathering one, and flushes once', async () => {
    const { clock, flushes, schedule, gather } = open();
    await gather(40);
    await clock.pass(5);
    await gather(1);
    schedule.urgently();
    await clock.pass(0);
    expect(flushes).toEqual([0, 5]);
    await clock.pass(1_000);
    expect(flushes).toEqual([0, 5]);
  });

  it('pauses for 20 ms, whatever else is requested', async () => {
    const { clock, flushes, schedule, gather } = open();
    schedule.afterPause();
    schedule.urgently();
    await gather(50);
    await clock.pass(19);
    expect(flushes).toEqual([]);
    await clock.pass(1);
    expect(flushes).toEqual([20]);
  });

  it('keeps its pause while many turns write', async () => {
    const { clock, flushes, schedule, gather } = open();
    await gather(40);
    await clock.pass(15);
    schedule.afterPause();
    await gather(1);
    await clock.pass(19);
    expect(flushes).toEqual([0]);
    await clock.pass(1);
    expect(flushes).toEqual([0, 35]);
  });

  it('does not delay a flush because the clock was set back', async () => {
    const { clock, flushes, gather } = open();
    await clock.pass(600);
    await gather(40);
    // Only the clock was set back. No time has passed, so this is still the same busy second.
    clock.jump(-500);
    await gather(1);
    expect(flushes).toEqual([600, 100]);
  });
});

describe('the group commit', () => {
  const setUp = () => {
    const clock = createVirtualClock();
    const { database, close } = openDatabase(':memory:');
    const statements: string[] = [];
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      statements.push(sql);
      exec(sql);
    };
    return { clock, close, statements, commits: createCommits({ database, clock }) };
  };
  const begins = (statements: readonly string[]) =>
    statements.filter((each) => each.startsWith('BEGIN')).length;

  it('commits 500 writes at a time, in order, and is idle if none waits', async () => {
    const { clock, close, statements, commits } = setUp();
    const order: number[] = [];
    expect(commits.idle).toBe(true);
    for (let nth = 0; nth < 1_001; nth += 1) void commits.write(() => order.push(nth));
    expect(commits.idle).toBe(false);
    await clock.pass(0);
    await clock.pass(0);
    await clock.pass(0);
    expect(order).toEqual(Array.from({ length: 1_001 }, (_, nth) => nth));
    expect(begins(statements)).toBe(3);
    expect(commits.idle).toBe(true);
    close();
  });

  it('refuses all writes of a batch when one of them throws, and accepts the next', async () => {
    const { clock, close, commits } = setUp();
    const results = Promise.allSettled([
      commits.write(() => 'kept'),
      commits.write(() => {
        throw new Error('no such table');
      }),
    ]);
    await clock.pass(0);
    expect((await results).map((result) => result.status === 'rejected' && result.reason.message)).toEqual(
      Array(2).fill(expect.stringContaining('no such table')),
    );
    const next = commits.write(() => 'next');
    await clock.pass(0);
    expect(await next).toBe('next');
    close();
  });

  it('writes what is queued when it is closed, starts no empty transaction, and accepts no more', async () => {
    const { clock, close, statements, commits } = setUp();
    const last = commits.write(() => 'last');
    commits.close();
    expect(await last).toBe('last');
    const before = statements.length;
    commits.close();
    await clock.pass(100);
    expect(statements).toHaveLength(before);
    expect(statements.some((each) => each.includes('busy_timeout = 1000'))).toBe(true);
    await expect(commits.write(() => 0)).rejects.toMatchObject({
      code: 'store-unavailable',
      message: 'The store accepts no writes: it is closed. Check the disk of the data folder.',
    });
    close();
  });

  it('reports that too many writes wait', async () => {
    const { clock, close, commits } = setUp();
    const writes = Array.from({ length: 20_001 }, () => commits.write(() => undefined).then(() => 'kept'));
    await expect(writes.at(-1)).rejects.toMatchObject({
      message:
        'The store accepts no writes: 20000 writes are waiting already. Check the disk of the data folder.',
    });
    commits.close();
    await clock.pass(0);
    expect(await writes.at(-2)).toBe('kept');
    close();
  });
});
