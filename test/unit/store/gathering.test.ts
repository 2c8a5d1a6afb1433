import { beforeEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/core/stores/inbox.ts';
import { type Commits, createCommits } from '../../../src/store/sqlite/commits.ts';
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { recordingLog } from '../../contract/store/manual-clock.ts';
import { newTurn } from '../../contract/turn-makers.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';

/** Tests that writes of running turns share a commit if they may wait, because each commit costs a disk flush. */
describe('the group commit', () => {
  let clock: VirtualClock;
  let opened: OpenDatabase;
  let commits: Commits;
  let made: number;

  beforeEach(() => {
    clock = createVirtualClock();
    opened = openDatabase(':memory:');
    commits = createCommits({ database: opened.database, clock });
    made = 0;
    const { database } = opened;
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      if (sql === 'COMMIT') made += 1;
      exec(sql);
    };
  });

  const moment = () => clock.pass(0);
  /** Makes enough writes within a second to count as busy. */
  const beBusy = async () => {
    for (let nth = 0; nth < 40; nth++) void commits.writeSoon(() => undefined);
    await clock.pass(100);
    made = 0;
  };

  it('does not delay a write while few turns run', async () => {
    for (let nth = 0; nth < 30; nth++) {
      void commits.writeSoon(() => undefined);
      await moment();
    }
    expect(made).toBe(30);
  });

  it('makes at most 50 commits a second for them while many run, each within 20 ms', async () => {
    await beBusy();
    const waits: number[] = [];
    for (let ms = 0; ms < 1_000; ms += 5) {
      const asked = clock.now();
      void commits.writeSoon(() => undefined).then(() => waits.push(clock.now() - asked));
      await clock.pass(5);
    }
    await clock.pass(50);
    expect(waits).toHaveLength(200);
    expect(Math.max(...waits)).toBeLessThanOrEqual(20);
    expect(made).toBeLessThanOrEqual(51);
  });

  it('delays no other write, and includes gathering ones in order', async () => {
    await beBusy();
    const order: string[] = [];
    const note = (what: string) => () => order.push(what);
    void commits.writeSoon(note('first'));
    await moment();
    void commits.writeSoon(note('gathering'));
    await clock.pass(10);
    expect(order).toEqual(['first']);
    void commits.write(note('urgent'));
    await moment();
    expect(order).toEqual(['first', 'gathering', 'urgent']);
    await clock.pass(100);
    expect(made).toBe(2);
  });

  it('is not delayed by a clock that is set back, and gathers no longer once it is quiet', async () => {
    await beBusy();
    clock.jump(-3_600_000);
    void commits.writeSoon(() => undefined);
    await moment();
    expect(made).toBe(1);
    await clock.pass(5_000);
    for (let nth = 0; nth < 5; nth++) {
      void commits.writeSoon(() => undefined);
      await moment();
    }
    expect(made).toBe(6);
  });

  it('does not delay the end of an answer, and starts no transaction if no turn can be claimed', async () => {
    const inbox = await openSqliteInbox({
      database: opened.database,
      commits,
      clock,
      log: recordingLog(),
      owner: 'a',
    });
    await inbox.add(newTurn('1'));
    const claim = (await inbox.claim()) as Claim;
    await beBusy();
    void inbox.checkpoint(claim, { phase: 'answering' });
    await moment();
    void inbox.checkpoint(claim, { phase: 'ending', text: { at: 0, text: 'Two years.' } });
    await moment();
    expect(made).toBe(2);
    expect(await inbox.claim()).toBeUndefined();
    expect(made).toBe(2);
  });
});
