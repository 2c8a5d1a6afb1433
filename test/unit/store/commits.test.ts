/** Tests the group commit: writes that share a transaction, failed writes, and the close. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { Backlog, PendingCheckpoint } from '../../../src/store/sqlite/backlog.ts';
import { type Commits, createCommits, createProbe } from '../../../src/store/sqlite/commits.ts';
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/database.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';

let clock: VirtualClock;
let opened: OpenDatabase;
/** Number of attempted transactions, including those that failed to begin. */
let tried: number;
const checkFile = () => {
  tried += 1;
};

beforeEach(() => {
  clock = createVirtualClock();
  opened = openDatabase(':memory:');
  tried = 0;
});

const make = (backlog?: Backlog): Commits =>
  createCommits({ database: opened.database, clock, backlog, checkFile });
const busyTimeout = () => opened.database.prepare('PRAGMA busy_timeout').get()?.timeout;

describe('concurrent writes', () => {
  test('share transactions of at most 500', async () => {
    const commits = make();
    await Promise.all(Array.from({ length: 500 }, () => commits.write(() => undefined)));
    expect(tried).toBe(1);
    await Promise.all(Array.from({ length: 501 }, () => commits.write(() => undefined)));
    expect(tried).toBe(3);
  });

  test('are pending until they are on disk', async () => {
    const commits = make();
    expect(commits.idle).toBe(true);
    const written = commits.write(() => 7);
    expect(commits.idle).toBe(false);
    expect(await written).toBe(7);
    expect(commits.idle).toBe(true);
  });

  test('beyond 20,000 are refused with the reason', async () => {
    const commits = make();
    const writes = Array.from({ length: 20_001 }, () => commits.write(() => undefined));
    await expect(writes.at(-1)).rejects.toThrow(
      'The store accepts no writes: 20000 writes are waiting already. Check the disk of the data folder.',
    );
    await Promise.all(writes.slice(0, -1));
  });
});

describe('a transaction that fails', () => {
  const claim: PendingCheckpoint['claim'] = { owner: 'o', turn: { id: turnId('1'), attempt: 1 } };
  const pending = { claim, known: { phase: 'ending' } } as const;
  const fail = () => {
    throw new Error('disk full');
  };
  const fakeBacklog = (kept: unknown[], keep?: () => void): Backlog => ({
    keep: (all) => {
      keep?.();
      kept.push(all);
    },
    drain: () => undefined,
    close: () => undefined,
  });
  const UNAVAILABLE = { status: 'rejected', reason: { code: 'store-unavailable' } };

  test('moves its checkpoints to the backlog, and refuses its other writes', async () => {
    const kept: unknown[] = [];
    const commits = make(fakeBacklog(kept));
    const results = await Promise.allSettled([
      commits.write(fail),
      commits.write(() => 'new', { pending, value: 'kept' }),
    ]);
    expect(results).toMatchObject([UNAVAILABLE, { status: 'fulfilled', value: 'kept' }]);
    expect(kept).toEqual([[pending]]);
  });

  test('does not touch the backlog without a checkpoint', async () => {
    const kept: unknown[] = [];
    const commits = make(fakeBacklog(kept));
    expect(await Promise.allSettled([commits.write(fail)])).toMatchObject([UNAVAILABLE]);
    expect(kept).toEqual([]);
  });

  test('refuses all of its writes if the backlog fails or is absent', async () => {
    for (const commits of [make(fakeBacklog([], fail)), make()]) {
      const results = await Promise.allSettled([
        commits.write(fail),
        commits.write(() => 'new', { pending, value: 'kept' }),
      ]);
      expect(results).toMatchObject([UNAVAILABLE, UNAVAILABLE]);
    }
  });
});

describe('on disk', () => {
  let folder: string;
  beforeEach(async () => {
    opened.close();
    folder = await mkdtemp(join(tmpdir(), 'parley-commits-'));
    opened = openDatabase(join(folder, 'store'));
  });
  afterEach(async () => {
    opened.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('a locked store is tried 25 times, 20 ms apart, before a write is refused', async () => {
    const other = new DatabaseSync(join(folder, 'store'));
    other.exec('BEGIN IMMEDIATE');
    const commits = make();
    const results = Promise.allSettled([commits.write(() => undefined)]);
    await clock.pass(479);
    expect(tried).toBe(24);
    await clock.pass(1);
    expect(await results).toMatchObject([{ status: 'rejected', reason: { code: 'store-unavailable' } }]);
    expect(tried).toBe(25);
    other.close();
  });

  test('a close writes what is queued, waits 1 s for a lock, and accepts no more', async () => {
    const commits = make();
    const written = commits.write(() => 7);
    commits.close();
    expect(busyTimeout()).toBe(1_000);
    expect(await written).toBe(7);
    await clock.pass(100);
    expect(tried).toBe(1);
    await expect(commits.write(() => undefined)).rejects.toThrow(
      'The store accepts no writes: it is closed. Check the disk of the data folder.',
    );
  });

  test('a close without queued writes changes nothing', () => {
    make().close();
    expect([busyTimeout(), tried]).toEqual([0, 0]);
  });
});

test('a probe writes 16 KiB under a short key and deletes them', async () => {
  const rows = opened.database.prepare('SELECT length(key) AS key, length(value) AS value FROM keyed');
  const seen: unknown[] = [];
  const write: Commits['write'] = async (work) => {
    const value = work();
    seen.push(rows.all());
    return value;
  };
  await createProbe(opened.database, { ...make(), write })();
  expect(seen).toEqual([[{ key: 32, value: 16_384 }], []]);
});
