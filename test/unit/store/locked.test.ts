import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { Claim, Inbox, InboxSignal } from '../../../src/core/stores/inbox.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { recordingLog } from '../../contract/store/manual-clock.ts';
import { newTurn } from '../../contract/turn-makers.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';

const LEASE_MS = 9_000;
const UNAVAILABLE = { code: 'store-unavailable' };

/** Tests fault F29: another process, such as an operator's tool, holds the write lock of the store's file. */
describe('a store that another process has locked', () => {
  let folder: string;
  let store: Store;
  let inbox: Inbox;
  let other: DatabaseSync;
  let clock: VirtualClock;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-locked-'));
    const file = join(folder, 'parley.sqlite');
    clock = createVirtualClock();
    store = await openStore({ file, clock, log: recordingLog(), leaseMs: LEASE_MS });
    ({ inbox } = store);
    other = new DatabaseSync(file);
  });
  afterEach(async () => {
    other.close();
    await store.close();
    await rm(folder, { recursive: true });
  });

  const lock = () => other.exec('BEGIN IMMEDIATE');
  const unlock = () => other.exec('ROLLBACK');
  const claimed = async (id = '1'): Promise<Claim> => {
    await inbox.add(newTurn(id));
    const claim = await inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    return claim;
  };
  /** Returns the milliseconds of virtual time until the promise is settled. */
  const lasting = async (promise: Promise<unknown>): Promise<number> => {
    const begun = clock.now();
    let over = false;
    const end = () => {
      over = true;
    };
    promise.then(end, end);
    await clock.until(() => over);
    return clock.now() - begun;
  };

  it('is retried while the event loop runs', async () => {
    lock();
    const adding = inbox.add(newTurn('1'));
    await clock.pass(400);
    expect(await inbox.find(turnId('1'))).toBeUndefined();
    unlock();
    await clock.pass(20);
    expect(await adding).toEqual({ kind: 'added', ahead: 0 });
  });

  it('refuses a question within half a second and the next ones at once, and accepts them after the lock', async () => {
    lock();
    const first = inbox.add(newTurn('1'));
    expect(await lasting(first)).toBeLessThanOrEqual(500);
    await expect(first).rejects.toMatchObject(UNAVAILABLE);
    const next = inbox.add(newTurn('1'));
    expect(await lasting(next)).toBe(0);
    await expect(next).rejects.toMatchObject(UNAVAILABLE);
    unlock();
    expect(await inbox.add(newTurn('1'))).toEqual({ kind: 'added', ahead: 0 });
  });

  it('is retried again when it is locked another time', async () => {
    lock();
    await lasting(inbox.add(newTurn('1')));
    unlock();
    await inbox.add(newTurn('2'));
    lock();
    const adding = inbox.add(newTurn('3'));
    await clock.pass(200);
    unlock();
    await clock.pass(20);
    expect(await adding).toMatchObject({ kind: 'added' });
  });

  it('keeps the claims of running turns for longer than a lease, and does not take them back afterwards', async () => {
    const claim = await claimed();
    for (let second = 0; second < 12; second++) {
      await inbox.expire();
      await clock.pass(1_000);
      if (second % 3 === 0) await inbox.renew(claim);
    }
    lock();
    for (let second = 0; second < 25; second++) {
      const expired = inbox.expire().catch(() => 'failed');
      await clock.pass(1_000);
      expect(await expired).toBe('failed');
      const renewed = inbox.renew(claim);
      await lasting(renewed);
      if (second % 3 === 0) expect(await renewed).toBe('held');
    }
    unlock();
    expect(await inbox.expire()).toBe(0);
    expect(await inbox.renew(claim)).toBe('held');
    expect(await inbox.settle(claim, 'answered')).toBe('settled');
  });

  it('lets a running turn be stopped, and refuses to stop a waiting one', async () => {
    const claim = await claimed();
    await inbox.add(newTurn('2'));
    const signals: InboxSignal[] = [];
    inbox.onSignal((signal) => signals.push(signal));
    lock();
    const stopping = inbox.interrupt(claim.turn.id, { kind: 'stop', by: 'u1' });
    await lasting(stopping);
    expect(await stopping).toBe('running');
    expect(signals).toEqual([{ kind: 'interrupted', id: '1', why: { kind: 'stop', by: 'u1' } }]);
    await expect(inbox.interrupt(turnId('2'), { kind: 'stop', by: 'u1' })).rejects.toMatchObject(UNAVAILABLE);
    unlock();
  });

  it('writes what is queued at the close as soon as the lock is gone', async () => {
    lock();
    const adding = inbox.add(newTurn('1'));
    await clock.pass(100);
    unlock();
    await store.close();
    expect(await adding).toMatchObject({ kind: 'added' });
  });
});
