import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { laneOf, messageKey, type ThreadRef } from '../../../src/core/message.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn } from '../../contract/turn-makers.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-store-'));
  store = await openStore({
    file: join(folder, 'a.db'),
    clock: manualClock(),
    log: recordingLog(),
    owner: 'o',
  });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

const thread = (tenant: string, channel = 'slack', room = 'C1'): ThreadRef => ({
  channel,
  tenant,
  room,
  key: '1.1',
  kind: 'room',
});
const turnOf = (tenant: string, channel?: string, room = 'C1') =>
  turnId(`${tenant === 'T1' ? 1 : 2}0000000-0000-4000-8000-0000000000${room.slice(1)}${channel ? 1 : 0}`);
const DAY_MS = 86_400_000;

/** Something of everything that is kept of a tenant. */
async function fill(tenant: string, channel?: string, room = 'C1'): Promise<void> {
  const place = thread(tenant, channel, room);
  const id = turnOf(tenant, channel, room);
  const said = { ...message('m'), thread: place, text: `canary of ${tenant}` };
  await store.inbox.add(
    newTurn(id, laneOf(place), { originKey: id, message: said, messageKey: messageKey(place, 'm') }),
  );
  const key = { thread: place, agent: agentName('books') };
  await store.sessions.save(key, { history: [{ question: `canary of ${tenant}`, answer: 'a' }] });
  await store.keyed('threads').set(`agent ${laneOf(place)}`, 'books', DAY_MS);
  await store.keyed('receipts').set(id, [`canary of ${tenant}`], DAY_MS);
  await store.keyed(`adapter ${place.channel}`).set(`engaged ${tenant} ${room} 1.1`, true, DAY_MS);
  await store.keyed(`secrets ${place.channel}`).set(`installation ${tenant}`, 'token', DAY_MS);
  await store.feedback.give({
    turn: id,
    reply: id,
    person: 'U1',
    verdict: 'up',
    at: 1,
    channel: place.channel,
    tenant,
    room,
  });
}

async function readAll() {
  await store.close();
  const database = new DatabaseSync(join(folder, 'a.db'));
  const tables = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback'];
  const rows = tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
  database.close();
  return rows;
}

test('everything of a tenant goes, and nothing of another or of another channel', async () => {
  await fill('T1');
  await fill('T12');
  await fill('T1', 'teams');
  expect(await store.forget({ channel: 'slack', tenant: 'T1' })).toBe(1);
  expect(await store.inbox.find(turnOf('T1'))).toBeUndefined();
  expect(await store.inbox.find(turnOf('T12'))).toBeDefined();
  expect(await store.inbox.find(turnOf('T1', 'teams'))).toBeDefined();
  const rows = await readAll();
  expect(rows.map((each) => each.length)).toEqual([2, 0, 10, 0, 2]);
  const left = rows.flat().map((row) => JSON.stringify(row));
  expect(left.filter((row) => row.includes('slack') && /\bT1\b/.test(row))).toEqual([]);
});

test('everything of a room goes, and nothing of another room', async () => {
  await fill('T1');
  await fill('T1', undefined, 'C2');
  await fill('T2');
  expect(await store.forget({ channel: 'slack', tenant: 'T1', room: 'C1' })).toBe(1);
  const rows = await readAll();
  // What is kept of the installation stays.
  expect(rows.map((each) => each.length)).toEqual([2, 0, 10, 0, 2]);
  const left = rows.flat().map((row) => JSON.stringify(row));
  expect(left.filter((row) => /\bT1\b/.test(row) && /\bC1\b/.test(row))).toEqual([]);
});

test('a turn that runs is lost to its worker', async () => {
  await fill('T1');
  const claim = await store.inbox.claim('o');
  await store.forget({ channel: 'slack', tenant: 'T1' });
  expect(claim && (await store.inbox.settle(claim, 'answered'))).toBe('lost');
});
