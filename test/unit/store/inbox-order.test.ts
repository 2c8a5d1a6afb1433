/** Tests turns that precede or replace others: by the channel's time, by a newer revision, by a deletion. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { Claim, Inbox, InboxSignal, NewTurn } from '../../../src/core/stores/inbox.ts';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn } from '../../contract/turn-makers.ts';

let opened: OpenDatabase;
let inbox: Inbox;
beforeEach(async () => {
  const clock = manualClock();
  opened = openDatabase(':memory:');
  const { database } = opened;
  const commits = createCommits({ database, clock });
  inbox = await openSqliteInbox({ database, commits, clock, log: recordingLog(), owner: 'a' });
});
afterEach(() => opened.close());

const written = (id: string, sentAt: number, more: Partial<NewTurn> = {}) =>
  inbox.add(newTurn(id, 'x', { message: { ...message(id), sentAt }, ...more }));
const press = { origin: { kind: 'retry', of: turnId('0'), by: 'u1' } } as const;
async function claimed(): Promise<Claim> {
  const claim = await inbox.claim();
  if (claim === undefined) throw new Error('nothing to claim');
  return claim;
}
async function order(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let claim = await inbox.claim(); claim !== undefined; claim = await inbox.claim()) {
    ids.push(claim.turn.id);
    await inbox.settle(claim, 'answered');
  }
  return ids;
}
/** Returns a turn for one revision of the same question. */
const asks = (id: string, revision: number, more: Partial<NewTurn> = {}): NewTurn =>
  newTurn(id, 'lane', {
    originKey: `m ${revision}`,
    origin: { kind: 'message', key: 'm', revision },
    message: { ...message('m'), revision },
    messageKey: 'key of m',
    ...more,
  });
const taking = (id = 'taking') =>
  newTurn(id, 'beside', { origin: { kind: 'withdraw', of: turnId('1'), key: 'k' } });

test('messages with equal times keep their order of arrival', async () => {
  for (const id of ['a', 'b', 'c']) await written(id, 5);
  expect(await order()).toEqual(['a', 'b', 'c']);
});

test('a press is not overtaken by an earlier message, and overtakes no later one', async () => {
  await written('first', 1);
  await written('press', 99, press);
  await written('second', 3);
  expect(await order()).toEqual(['first', 'press', 'second']);
  await written('late', 9);
  await written('early press', 2, press);
  expect(await order()).toEqual(['late', 'early press']);
});

test('an edit and a press have no time: they go to the end and put no claim back', async () => {
  await written('running', 50);
  const claim = await claimed();
  await written('press', 1, press);
  await written('edit', 2, { message: { ...message('edit'), sentAt: 2, revision: 1 } });
  expect(await inbox.renew(claim)).toBe('held');
  await written('later', 60);
  await inbox.settle(claim, 'answered');
  expect(await order()).toEqual(['press', 'edit', 'later']);
});

test('an event of an older revision is a duplicate of the newer one; a press on it is not', async () => {
  await inbox.add(asks('1', 2));
  expect(await inbox.add(asks('2', 1))).toEqual({ kind: 'duplicate', id: '1' });
  expect((await inbox.add(asks('3', 2, { originKey: 'another' }))).kind).toBe('added');
  const act = asks('4', 0, { origin: { kind: 'act', key: 'p' }, originKey: 'p' });
  expect((await inbox.add(act)).kind).toBe('added');
});

test('a revision that replaces a waiting one interrupts none; the same revision again is a duplicate', async () => {
  await inbox.add(asks('1', 0));
  const signals: InboxSignal[] = [];
  inbox.onSignal((signal) => void signals.push(signal));
  expect((await inbox.supersede(asks('2', 1))).kind).toBe('added');
  expect(signals).toEqual([{ kind: 'claimable' }]);
  const again = asks('3', 1, { originKey: 'another' });
  expect(await inbox.supersede(again)).toEqual({ kind: 'duplicate', id: '2' });
});

test('a deletion adds no turn for a reply that was removed, or whose removal is queued already', async () => {
  await inbox.add(asks('1', 0));
  await inbox.settle(await claimed(), 'withdrawn');
  expect(await inbox.withdraw('key of m', () => taking())).toBe(0);
  await inbox.add(newTurn('other', 'y', { messageKey: 'key of o' }));
  await inbox.settle(await claimed(), 'answered');
  await inbox.add(taking('kept'));
  const known = () => ({ ...taking('once more'), originKey: 'origin of kept' });
  expect(await inbox.withdraw('key of o', known)).toBe(0);
  expect(await order()).toEqual(['kept']);
});

test('an unreadable turn is not announced', async () => {
  await inbox.add(asks('1', 0));
  await inbox.add(newTurn('2', 'y'));
  opened.database.exec(`UPDATE turns SET message = '{', lane = '{', message_key = '{' WHERE id = '1'`);
  const all = { behind: Number.MAX_SAFE_INTEGER, ready: Number.MAX_SAFE_INTEGER };
  expect((await inbox.takeUnannounced(all, 10)).map(({ turn }) => turn.id)).toEqual(['2']);
});
