import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { laneOf, messageKey, type ThreadRef } from '../../../src/core/message.ts';
import { createForgetStore } from '../../../src/store/forgetting.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import type { Steps } from '../../../src/store/sql.ts';
import { createEngine } from '../../../src/store/sqlite/engine.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn } from '../../contract/turn-makers.ts';
import { UNOWNED } from '../../contract/unowned.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-store-'));
  store = await openStore({
    file: join(folder, 'a.db'),
    clock: manualClock(),
    log: recordingLog(),
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

/** Stores data of every kind for a tenant. */
async function fill(tenant: string, channel?: string, room = 'C1'): Promise<void> {
  const place = thread(tenant, channel, room);
  const id = turnOf(tenant, channel, room);
  const said = { ...message('m'), thread: place, text: `canary of ${tenant}` };
  await store.inbox.add(
    newTurn(id, laneOf(place), { originKey: id, message: said, messageKey: messageKey(place, 'm') }),
  );
  const key = { thread: place, agent: agentName('books') };
  await store.sessions.save(key, { history: [{ question: `canary of ${tenant}`, answer: 'a' }] });
  await store.keyed('threads').set(`agent ${laneOf(place)}`, 'books', DAY_MS, UNOWNED);
  await store.keyed('receipts').set(id, [`canary of ${tenant}`], DAY_MS, UNOWNED);
  await store.keyed(`adapter ${place.channel}`).set(`engaged ${tenant} ${room} 1.1`, true, DAY_MS, UNOWNED);
  await store.keyed(`secrets ${place.channel}`).set(`installation ${tenant}`, 'token', DAY_MS, UNOWNED);
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

/** Deletes a place in Slack, and resolves with the number of its turns. */
async function forgottenTurns(place: { tenant: string; room?: string | undefined }): Promise<number> {
  const { removed } = await store.forgetting.erase({ kind: 'tenant', channel: 'slack', ...place });
  return removed.turns ?? 0;
}

async function readAll() {
  await store.close();
  const database = new DatabaseSync(join(folder, 'a.db'));
  const tables = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback'];
  const rows = tables.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
  database.close();
  return rows;
}

test('everything of a tenant is deleted, and nothing of another tenant or channel', async () => {
  await fill('T1');
  await fill('T12');
  await fill('T1', 'teams');
  expect(await forgottenTurns({ tenant: 'T1' })).toBe(1);
  expect(await store.inbox.find(turnOf('T1'))).toBeUndefined();
  expect(await store.inbox.find(turnOf('T12'))).toBeDefined();
  expect(await store.inbox.find(turnOf('T1', 'teams'))).toBeDefined();
  const rows = await readAll();
  expect(rows.map((each) => each.length)).toEqual([2, 0, 10, 0, 2]);
  const left = rows.flat().map((row) => JSON.stringify(row));
  expect(left.filter((row) => row.includes('slack') && /\bT1\b/.test(row))).toEqual([]);
});

test('everything of a room is deleted, and nothing of another room', async () => {
  await fill('T1');
  await fill('T1', undefined, 'C2');
  await fill('T2');
  expect(await forgottenTurns({ tenant: 'T1', room: 'C1' })).toBe(1);
  const rows = await readAll();
  // The tenant's installation belongs to no room, so its data stays.
  expect(rows.map((each) => each.length)).toEqual([2, 0, 10, 0, 2]);
  const left = rows.flat().map((row) => JSON.stringify(row));
  expect(left.filter((row) => /\bT1\b/.test(row) && /\bC1\b/.test(row))).toEqual([]);
});

test('a running turn loses its lease', async () => {
  await fill('T1');
  const claim = await store.inbox.claim();
  await forgottenTurns({ tenant: 'T1' });
  expect(claim && (await store.inbox.settle(claim, 'answered'))).toBe('lost');
});

describe('keyed state', () => {
  const RUNNING = '10000000-0000-4000-8000-000000000001';

  /** Stores these keys, deletes the data of T1, and returns the keys that are left, as "namespace: key". */
  async function left(
    kept: readonly (readonly [string, string])[],
    room?: string,
  ): Promise<readonly string[]> {
    const place = thread('T1');
    await store.inbox.add(newTurn(RUNNING, laneOf(place), { message: { ...message('m'), thread: place } }));
    for (const [namespace, key] of kept) await store.keyed(namespace).set(key, 1, DAY_MS, UNOWNED);
    await forgottenTurns({ tenant: 'T1', room });
    const [, , keyed = []] = await readAll();
    return keyed.map((row) => `${row.namespace}: ${row.key}`);
  }

  test('that names the tenant as a word is deleted in its own channel', async () => {
    const names = ['engaged T1 C1', 'T1', JSON.stringify(['installation', 'T1', 'C9'])];
    const others = ['engaged T12 C1', 'engaged xT1', 'T1x', '["T12"]'];
    const kept = [...names, ...others].flatMap((key) => [
      ['adapter slack', key] as const,
      ['secrets slack', key] as const,
      ['adapter teams', key] as const,
      ['elsewhere', key] as const,
    ]);
    const rest = await left(kept);
    expect(rest).toHaveLength(kept.length - 2 * names.length);
    for (const key of names)
      for (const own of ['adapter', 'secrets']) expect(rest).not.toContain(`${own} slack: ${key}`);
  });

  test('that names the tenant and the room is deleted with the room', async () => {
    const keys = ['a T1 C1', 'a C1 T1', JSON.stringify(['T1', 'C1']), 'a T1', 'a C1', 'a T1 C2', 'a T2 C1'];
    const kept = keys.map((key) => ['adapter slack', key] as const);
    expect((await left(kept, 'C1')).toSorted()).toEqual(
      ['a T1', 'a C1', 'a T1 C2', 'a T2 C1'].map((key) => `adapter slack: ${key}`).toSorted(),
    );
  });

  test('under a thread or a turn is deleted in every namespace', async () => {
    const lane = laneOf(thread('T1'));
    const gone = [lane, `sources ${lane}`, RUNNING, `version ${RUNNING} 2`];
    const stays = [laneOf(thread('T12')), '10000000-0000-4000-8000-000000000002', 'a-word'];
    const kept = [...gone, ...stays].map((key) => ['anything', key] as const);
    expect((await left(kept)).toSorted()).toEqual(stays.map((key) => `anything: ${key}`).toSorted());
  });
});

test('the text of running turns and the marks of deleted messages are deleted only for the place', async () => {
  const places = [thread('T1'), thread('T2')];
  for (const [nth, place] of places.entries()) {
    const id = `${nth + 1}0000000-0000-4000-8000-000000000001`;
    const said = { ...message('m'), thread: place };
    await store.inbox.add(newTurn(id, laneOf(place), { originKey: id, message: said }));
    const claim = await store.inbox.claim();
    if (claim) await store.inbox.checkpoint(claim, { text: { at: 0, text: 'Two years' } });
    await store.inbox.withdraw(messageKey(place, 'deleted'), () => newTurn('never'));
  }
  expect(await forgottenTurns({ tenant: 'T1' })).toBe(1);
  expect(await forgottenTurns({ tenant: 'unknown' })).toBe(0);
  expect((await readAll()).map((each) => each.length)).toEqual([1, 1, 0, 1, 0]);
});

const ADA = { kind: 'person', channel: 'slack', person: 'U1' } as const;

test('the file of the version before the owners is upgraded, and every value of the person is found', async () => {
  const kept = [
    ['adapter slack', 'preference T1 U1'],
    ['adapter slack', 'preference:T1:U1'],
    ['adapter slack', 'preference T1 U12'],
  ] as const;
  for (const [namespace, key] of kept) await store.keyed(namespace).set(key, 1, DAY_MS, UNOWNED);
  await store.close();
  const file = join(folder, 'a.db');
  const database = new DatabaseSync(file);
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {};
  database.exec(`DROP TABLE moves; ALTER TABLE keyed DROP COLUMN owner; PRAGMA user_version = ${Number(version) - 3};
    ALTER TABLE audit DROP COLUMN agent; ALTER TABLE audit DROP COLUMN code`);
  database.close();
  store = await openStore({ file, clock: manualClock(), log: recordingLog() });
  await store.forgetting.erase(ADA);
  const [, , keyed = []] = await readAll();
  expect(keyed.map((row) => row.key)).toEqual(['preference T1 U12']);
});

test('a list that changes while it is read is read again', async () => {
  const list = store.keyed('adapter slack');
  await list.set(
    'signs',
    [
      { tenant: 'T1', by: 'U1' },
      { tenant: 'T1', by: 'U12' },
    ],
    DAY_MS,
    'several',
  );
  const database = new DatabaseSync(join(folder, 'a.db'));
  const engine = createEngine(database, { write: async (run) => run() }, manualClock());
  let changes = 1;
  /** Changes the list before the first statement that writes it. */
  function* interrupted<T>(steps: Steps<T>): Steps<T> {
    let step = steps.next([]);
    while (step.done !== true) {
      if (step.value.parts[0]?.startsWith('UPDATE parley.keyed') && changes-- > 0)
        database.exec(`UPDATE keyed SET value = replace(value, '[', '[{"tenant":"T1","by":"U3"},')`);
      step = steps.next(yield step.value);
    }
    return step.value;
  }
  const racing = {
    ...engine,
    transaction: <T>(steps: () => Steps<T>) => engine.transaction(() => interrupted(steps())),
  };
  await createForgetStore(racing, 'seq').erase(ADA);
  database.close();
  expect(await list.get('signs')).toEqual([
    { tenant: 'T1', by: 'U3' },
    { tenant: 'T1', by: 'U12' },
  ]);
});
