/** Tests the inbox's signals, its defaults, and its behaviour when the store accepts no writes. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import { laneOf, messageKey } from '../../../src/core/message.ts';
import type { Claim, Inbox, InboxSignal, NewTurn } from '../../../src/core/stores/inbox.ts';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn, thread } from '../../contract/turn-makers.ts';

const CLAIMABLE = { kind: 'claimable' };
const STOP = { kind: 'stop', by: 'u2' } as const;
const DEFAULT_LEASE_MS = 10_000;
let opened: OpenDatabase;
let inbox: Inbox;
let clock: ReturnType<typeof manualClock>;
let log: ReturnType<typeof recordingLog>;
let signals: InboxSignal[];

beforeEach(async () => {
  clock = manualClock();
  log = recordingLog();
  opened = openDatabase(':memory:');
  const { database } = opened;
  const commits = createCommits({ database, clock });
  inbox = await openSqliteInbox({ database, commits, clock, log, owner: 'a' });
  signals = [];
  inbox.onSignal((signal) => void signals.push(signal));
});
afterEach(() => opened.close());

/** Returns the signals sent during the work. */
async function toldBy(work: () => Promise<unknown>): Promise<readonly InboxSignal[]> {
  signals.length = 0;
  await work();
  return [...signals];
}
async function claimed(): Promise<Claim> {
  const claim = await inbox.claim();
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}
const asks = (id: string, revision: number): NewTurn =>
  newTurn(id, 'lane', {
    originKey: `m ${revision}`,
    origin: { kind: 'message', key: 'm', revision },
    message: { ...message('m'), revision },
    messageKey: 'key of m',
  });
const taking = () => newTurn('taking', 'beside', { origin: { kind: 'withdraw', of: turnId('1'), key: 'k' } });
/** Makes writes fail while reads succeed. */
const refuseWrites = () => opened.database.exec('PRAGMA query_only = ON');
const takeWrites = () => opened.database.exec('PRAGMA query_only = OFF');

describe('the signal that a turn may be claimed is sent', () => {
  test('when a turn is added with none ahead, and not for one that waits or is a duplicate', async () => {
    expect(await toldBy(() => inbox.add(newTurn('1')))).toEqual([CLAIMABLE]);
    expect(await toldBy(() => inbox.add(newTurn('2')))).toEqual([]);
    expect(await toldBy(() => inbox.add(newTurn('3', 'other', { originKey: 'origin of 1' })))).toEqual([]);
  });

  test('when a turn is given back or settled, and not when its lease was lost', async () => {
    await inbox.add(newTurn('1'));
    const first = await claimed();
    expect(await toldBy(() => inbox.release(first))).toEqual([CLAIMABLE]);
    expect(await toldBy(() => inbox.release(first))).toEqual([]);
    expect(await toldBy(() => inbox.settle(first, 'answered'))).toEqual([]);
    const second = await claimed();
    expect(await toldBy(() => inbox.settle(second, 'answered'))).toEqual([CLAIMABLE]);
  });

  test('when a waiting turn is stopped; a running one gets its own signal, an ended one none', async () => {
    await inbox.add(newTurn('1'));
    await inbox.add(newTurn('2'));
    const running = await claimed();
    expect(await toldBy(() => inbox.interrupt(turnId('2'), STOP))).toEqual([CLAIMABLE]);
    expect(await toldBy(() => inbox.interrupt(turnId('1'), STOP))).toEqual([
      { kind: 'interrupted', id: '1', why: STOP },
    ]);
    await inbox.settle(running, 'stopped');
    expect(await toldBy(() => inbox.interrupt(turnId('1'), STOP))).toEqual([]);
  });

  test('when claims are taken back, and not when there are none', async () => {
    await inbox.add(newTurn('1'));
    await claimed();
    expect(await toldBy(() => inbox.expire())).toEqual([]);
    const expiring = await toldBy(async () => {
      for (let halves = 0; halves < 6; halves++) {
        clock.advance(DEFAULT_LEASE_MS / 2);
        await inbox.expire();
      }
    });
    expect(expiring).toEqual([CLAIMABLE]);
  });

  test('when an edit or a deletion ends another turn, which gets its own signal', async () => {
    await inbox.add(asks('1', 0));
    await claimed();
    expect(await toldBy(() => inbox.supersede(asks('2', 1)))).toEqual([
      { kind: 'interrupted', id: '1', why: { kind: 'superseded' } },
      CLAIMABLE,
    ]);
    expect(await toldBy(() => inbox.withdraw('key of m', taking))).toEqual([
      { kind: 'interrupted', id: '1', why: { kind: 'withdrawn' } },
      CLAIMABLE,
    ]);
  });

  test('when an earlier message takes the place of one that has just begun', async () => {
    const written = (id: string, sentAt: number) => newTurn(id, 'x', { message: { ...message(id), sentAt } });
    await inbox.add(written('late', 2));
    await claimed();
    expect(await toldBy(() => inbox.add(written('early', 1)))).toEqual([
      { kind: 'interrupted', id: 'late', why: { kind: 'lost' } },
      CLAIMABLE,
    ]);
  });
});

describe('by default', () => {
  test('a claim is held for 10 s from its claim and from each renewal', async () => {
    await inbox.add(newTurn('1'));
    const claim = await claimed();
    expect(claim.until).toBe(clock.now() + DEFAULT_LEASE_MS);
    for (let seconds = 0; seconds < 20; seconds++) {
      clock.advance(1_000);
      await inbox.expire();
    }
    expect(await inbox.renew(claim)).toBe('lost');
    const again = await claimed();
    for (let seconds = 0; seconds < 9; seconds++) {
      clock.advance(1_000);
      expect(await inbox.expire()).toBe(0);
    }
    expect(await inbox.renew(again)).toBe('held');
    for (let seconds = 0; seconds < 9; seconds++) {
      clock.advance(1_000);
      expect(await inbox.expire()).toBe(0);
    }
    clock.advance(1_000);
    expect(await inbox.expire()).toBe(1);
  });

  test('50 turns of a lane may wait, including edits of questions', async () => {
    await inbox.add(asks('asked', 0));
    await inbox.settle(await claimed(), 'answered');
    for (let n = 0; n < 49; n++) await inbox.add(newTurn(`${n}`));
    expect((await inbox.add(newTurn('last'))).kind).toBe('added');
    const full = { kind: 'full', waiting: 50 };
    expect(await inbox.add(newTurn('more'))).toEqual(full);
    expect(await inbox.supersede(asks('edited', 1))).toEqual(full);
  });
});

describe('when the store accepts no write', () => {
  test('a running turn can still be stopped, a waiting one cannot', async () => {
    await inbox.add(newTurn('1'));
    await inbox.add(newTurn('2'));
    await claimed();
    refuseWrites();
    expect(await toldBy(() => inbox.interrupt(turnId('1'), STOP))).toEqual([
      { kind: 'interrupted', id: '1', why: STOP },
    ]);
    for (const id of ['2', 'unknown'])
      await expect(inbox.interrupt(turnId(id), STOP)).rejects.toMatchObject({ code: 'store-unavailable' });
    takeWrites();
  });

  test('a claim stays held, and is not taken back for a lease after the last failed renewal', async () => {
    await inbox.add(newTurn('1'));
    const claim = await claimed();
    for (let seconds = 0; seconds < 20; seconds++) {
      clock.advance(1_000);
      if (seconds < 12) refuseWrites();
      if (seconds % 3 === 0 && seconds < 12) expect(await inbox.renew(claim)).toBe('held');
      takeWrites();
      const back = await inbox.expire();
      expect(back, `after ${seconds + 1} s`).toBe(seconds === 19 ? 1 : 0);
    }
  });
});

test('a large number of ended turns is deleted completely', async () => {
  const ended = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
    INSERT INTO turns (id, origin_key, lane, state, kept_at, ended_at, origin, message)
    SELECT 'e' || i, 'e' || i, 'x', 'answered', 1, i, '{}', '{}' FROM n`;
  opened.database.exec(ended);
  expect(await inbox.prune(2_301)).toBe(2_300);
  expect(await inbox.prune(10_000)).toBe(200);
  expect(await inbox.prune(10_000)).toBe(0);
});

test('unreadable turns are logged one by one', async () => {
  for (const id of ['1', '2']) {
    const place = thread(id);
    await inbox.add(newTurn(id, laneOf(place), { messageKey: messageKey(place, id) }));
  }
  opened.database.exec(`UPDATE turns SET message = '{', lane = '{' WHERE id = '1';
    UPDATE turns SET phase = '{' WHERE id = '2'`);
  await inbox.claim();
  expect(log.lines).toEqual([
    { level: 'error', facts: { turn: '1' }, text: expect.stringContaining('cannot be read') },
    { level: 'error', facts: { turn: '2' }, text: expect.stringContaining('damaged') },
  ]);
});
