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

const thread = (tenant: string, channel = 'slack'): ThreadRef => ({
  channel,
  tenant,
  room: 'C1',
  key: '1.1',
  kind: 'room',
});
const turnOf = (tenant: string, channel?: string) =>
  turnId(`${tenant === 'T1' ? 1 : 2}0000000-0000-4000-8000-00000000000${channel ? 1 : 0}`);
const DAY_MS = 86_400_000;

/** Something of everything that is kept of a tenant. */
async function fill(tenant: string, channel?: string): Promise<void> {
  const place = thread(tenant, channel);
  const id = turnOf(tenant, channel);
  const said = { ...message('m'), thread: place, text: `canary of ${tenant}` };
  await store.inbox.add(
    newTurn(id, laneOf(place), { originKey: id, message: said, messageKey: messageKey(place, 'm') }),
  );
  const key = { thread: place, agent: agentName('books') };
  await store.sessions.save(key, { history: [{ question: `canary of ${tenant}`, answer: 'a' }] });
  await store.keyed('threads').set(`agent ${laneOf(place)}`, 'books', DAY_MS);
  await store.keyed('receipts').set(id, [`canary of ${tenant}`], DAY_MS);
  await store.keyed(`adapter ${place.channel}`).set(`engaged ${tenant} C1 1.1`, true, DAY_MS);
  await store.keyed(`secrets ${place.channel}`).set(`installation ${tenant}`, 'token', DAY_MS);
  await store.feedback.give({
    turn: id,
    reply: id,
    person: 'U1',
    verdict: 'up',
    at: 1,
    channel: place.channel,
    tenant,
    room: 'C1',
  });
}

test('everything of a tenant goes, and nothing of another or of another channel', async () => {
  await fill('T1');
  await fill('T12');
  await fill('T1', 'teams');
  expect(await store.forgetTenant('slack', 'T1')).toBe(1);
  expect(await store.inbox.find(turnOf('T1'))).toBeUndefined();
  expect(await store.inbox.find(turnOf('T12'))).toBeDefined();
  expect(await store.inbox.find(turnOf('T1', 'teams'))).toBeDefined();
  await store.close();
  const database = new DatabaseSync(join(folder, 'a.db'));
  const rows = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback'].map((table) =>
    database.prepare(`SELECT * FROM ${table}`).all(),
  );
  database.close();
  expect(rows.map((each) => each.length)).toEqual([2, 0, 10, 0, 2]);
  const left = rows.flat().map((row) => JSON.stringify(row));
  expect(left.filter((row) => row.includes('slack') && /\bT1\b/.test(row))).toEqual([]);
});

test('a turn that runs is lost to its worker', async () => {
  await fill('T1');
  const claim = await store.inbox.claim('o');
  await store.forgetTenant('slack', 'T1');
  expect(claim && (await store.inbox.settle(claim, 'answered'))).toBe('lost');
});
