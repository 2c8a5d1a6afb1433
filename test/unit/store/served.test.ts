/** Tests that while a channel does not run, its turns stay queued in their order. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TurnId, turnId } from '../../../src/core/ids.ts';
import { laneOf, type ThreadRef } from '../../../src/core/message.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn } from '../../contract/turn-makers.ts';

const clock = manualClock();
let folder: string;
let store: Store;
const open = () => openStore({ file: join(folder, 'a.db'), clock, log: recordingLog() });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-served-'));
  store = await open();
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const restart = async () => {
  await store.close();
  store = await open();
};

async function ask(id: string, channel: string): Promise<TurnId> {
  const thread: ThreadRef = { channel, tenant: 't', room: 'r', key: 'k', kind: 'room' };
  const turn = turnId(id);
  await store.inbox.add(
    newTurn(turn, laneOf(thread), { originKey: id, message: { ...message(id), thread } }),
  );
  return turn;
}

async function claimed(): Promise<readonly TurnId[]> {
  const ids: TurnId[] = [];
  for (;;) {
    const claim = await store.inbox.claim();
    if (claim === undefined) return ids;
    ids.push(claim.turn.id);
    await store.inbox.settle(claim, 'answered');
  }
}

test('they are not claimed, and counted for the operator', async () => {
  await ask('first', 'gone');
  await ask('second', 'gone');
  const here = await ask('here', 'here');
  expect(await store.serve(['here'])).toEqual([{ channel: 'gone', waiting: 2 }]);
  expect(await claimed()).toEqual([here]);
});

test('they run in their order once the channel is back, before turns that were added meanwhile', async () => {
  const first = await ask('first', 'gone');
  const second = await ask('second', 'gone');
  await store.serve(['here']);
  const third = await ask('third', 'gone');
  await restart();
  expect(await store.serve(['here', 'gone'])).toEqual([]);
  expect(await claimed()).toEqual([first, second, third]);
});

test('one that was claimed before the channel stopped stays queued as well', async () => {
  const turn = await ask('first', 'gone');
  await store.inbox.claim();
  await restart();
  await store.serve(['here']);
  expect(await claimed()).toEqual([]);
  await restart();
  await store.serve(['gone']);
  expect(await claimed()).toEqual([turn]);
});

test('one that was stopped meanwhile is claimed first once the channel is back', async () => {
  await ask('first', 'gone');
  const second = await ask('second', 'gone');
  await store.inbox.interrupt(second, { kind: 'stop', by: 'p' });
  await store.serve(['here']);
  expect(await claimed()).toEqual([]);
  await store.serve(['gone']);
  expect((await store.inbox.claim())?.turn.id).toBe(second);
});

test('a damaged one is claimed, so that its reply ends', async () => {
  const turn = await ask('first', 'gone');
  await store.close();
  const database = new DatabaseSync(join(folder, 'a.db'));
  database.exec("UPDATE turns SET message = '{'");
  database.close();
  store = await open();
  expect(await store.serve(['here'])).toEqual([]);
  expect(await store.inbox.claim()).toMatchObject({ turn: { id: turn }, damaged: true });
});
