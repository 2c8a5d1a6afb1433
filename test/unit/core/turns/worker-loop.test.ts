/**
 * Tests the worker's loop with exact times: claims, the maximum number of turns, renewals, deadlines, outages and the
 * drain.
 */

import { describe, expect, test } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import type { TurnScope } from '../../../../src/core/live-reply/scope.ts';
import type { Claim, Inbox, InboxSignal } from '../../../../src/core/stores/inbox.ts';
import type { Interruption } from '../../../../src/core/turn.ts';
import { Worker } from '../../../../src/core/turns/worker.ts';
import { claim, turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const LEASE_MS = 9_000;
const TURN_MS = 600_000;
const STOP: Interruption = { kind: 'stop', by: 'ada' };

interface Run {
  readonly id: string;
  readonly at: number;
  readonly scope: TurnScope;
  end(): void;
  fail(error: unknown): void;
}

function open({ atOnce = 10 }: { readonly atOnce?: number } = {}) {
  const clock = createVirtualClock();
  const begun = clock.now();
  const since = () => clock.now() - begun;
  const waiting: Claim[] = [];
  const runs: Run[] = [];
  const log: string[] = [];
  const troubles: string[] = [];
  const faults: { claim?: Error; expire?: Error; handOver?: Error } = {};
  let renew: Inbox['renew'] = async () => 'held';
  const listeners = new Set<(signal: InboxSignal) => void>();
  const inbox: Pick<Inbox, 'expire' | 'claim' | 'renew' | 'onSignal' | 'handOver'> = {
    async expire() {
      log.push(`expire ${since()}`);
      if (faults.expire) throw faults.expire;
      return 0;
    },
    async claim() {
      log.push(`claim ${since()}`);
      if (faults.claim) throw faults.claim;
      return waiting.shift();
    },
    renew(held) {
      log.push(`renew ${since()}`);
      return renew(held);
    },
    async handOver() {
      log.push(`hand over ${since()}`);
      if (faults.handOver) throw faults.handOver;
    },
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const worker = new Worker({
    inbox: inbox as Inbox,
    clock,
    turnEvents: {
      record: () => undefined,
      trouble: ({ message }, at) => void troubles.push(`${message} at ${at - begun}`),
    },
    atOnce,
    turnMs: TURN_MS,
    run: (held, scope) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      runs.push({ id: held.turn.id, at: since(), scope, end: resolve, fail: reject });
      return promise;
    },
  });
  const signal = (told: InboxSignal) => {
    for (const listener of listeners) listener(told);
  };
  return {
    ...{ clock, worker, runs, troubles, faults, signal, since },
    /** Adds to the inbox a turn whose lease begins now. */
    put: (id: string, over: Partial<Claim> = {}) =>
      waiting.push(claim({ turn: turn({ id: turnId(id) }), until: clock.now() + LEASE_MS, ...over })),
    wake: () => signal({ kind: 'claimable' }),
    renewing: (next: Inbox['renew']) => {
      renew = next;
    },
    logged: (what: string) => log.filter((line) => line.startsWith(what)),
    log,
  };
}

describe('claiming', () => {
  test('starts at once, after expired leases were taken back', async () => {
    const { clock, worker, runs, put, log } = open();
    put('a');
    worker.start();
    await clock.pass(0);
    expect(log.slice(0, 2)).toEqual(['expire 0', 'claim 0']);
    expect(runs.map(({ id, at }) => [id, at])).toEqual([['a', 0]]);
    expect(worker.running).toBe(1);
  });

  test('continues at a signal, or else within a second', async () => {
    const { clock, worker, runs, put, wake } = open();
    worker.start();
    await clock.pass(300);
    put('a');
    wake();
    await clock.pass(0);
    expect(runs.map(({ at }) => at)).toEqual([300]);
    await clock.pass(10);
    put('b');
    await clock.pass(5_000);
    // The worker last claimed at 301 ms, 1 ms after the first start. It claims again a second later, because no signal
    // came.
    expect(runs.map(({ id, at }) => [id, at])).toEqual([
      ['a', 300],
      ['b', 1_301],
    ]);
  });

  test('stops at the maximum number of turns and continues as soon as one ends', async () => {
    const { clock, worker, runs, put, wake, logged } = open({ atOnce: 2 });
    for (const id of ['a', 'b', 'c', 'd']) put(id);
    worker.start();
    await clock.pass(200);
    expect([runs.map(({ id }) => id), worker.running]).toEqual([['a', 'b'], 2]);
    expect(logged('claim')).toHaveLength(2);
    wake();
    await clock.pass(100);
    expect(runs).toHaveLength(2);
    runs[0]?.end();
    await clock.pass(10);
    expect(runs.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    runs[1]?.fail(new Error('broke'));
    await clock.pass(10);
    expect(runs.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('reports a failed turn and continues', async () => {
    const { clock, worker, runs, put, troubles } = open();
    put('a');
    worker.start();
    await clock.pass(50);
    runs[0]?.fail(new Error('broke'));
    await clock.pass(0);
    expect(troubles).toEqual([expect.stringMatching(/ at 50$/)]);
    expect(worker.running).toBe(0);
  });

  test('looks for expired leases at once and every second, however often it is woken', async () => {
    const { clock, worker, wake, logged } = open();
    worker.start();
    for (let ms = 0; ms < 3_500; ms += 100) {
      wake();
      await clock.pass(100);
    }
    expect(logged('expire')).toEqual(['expire 0', 'expire 1000', 'expire 2000', 'expire 3000']);
  });
});

describe('a failed store', () => {
  test('is reported and tried again after half a second', async () => {
    const { clock, worker, runs, put, wake, faults, troubles, logged } = open();
    faults.claim = new Error('disk full');
    worker.start();
    put('a');
    await clock.pass(0);
    expect(troubles).toEqual([expect.stringMatching(/ at 0$/)]);
    wake();
    await clock.pass(499);
    expect(logged('claim')).toHaveLength(1);
    delete faults.claim;
    await clock.pass(1);
    expect(runs.map(({ at }) => at)).toEqual([500]);
  });

  test('is tried again even without a signal', async () => {
    const { clock, worker, faults, logged, troubles } = open();
    faults.expire = new Error('locked');
    worker.start();
    await clock.pass(3_100);
    expect(logged('expire')).toEqual(['expire 0', 'expire 1500', 'expire 3000']);
    expect(logged('claim')).toEqual([]);
    expect(troubles).toHaveLength(3);
  });
});

describe('a running turn', () => {
  test('is interrupted by an event before its claim', async () => {
    const { clock, worker, runs, put } = open();
    put('a', { interruption: STOP });
    worker.start();
    await clock.pass(0);
    expect(runs[0]?.scope.why()).toEqual(STOP);
  });

  test('is interrupted only by the signal that names it', async () => {
    const { clock, worker, runs, put, signal } = open();
    for (const id of ['a', 'b']) put(id);
    worker.start();
    await clock.pass(10);
    signal({ kind: 'interrupted', id: turnId('b'), why: STOP });
    signal({ kind: 'interrupted', id: turnId('unknown'), why: STOP });
    expect(runs.map(({ scope }) => scope.why())).toEqual([undefined, STOP]);
  });

  test('ends at its deadline', async () => {
    const { clock, worker, runs, put } = open();
    put('a');
    worker.start();
    await clock.pass(TURN_MS - 1);
    expect(runs[0]?.scope.why()).toBeUndefined();
    await clock.pass(1);
    expect(runs[0]?.scope.why()).toEqual({ kind: 'deadline' });
  });

  test('renews its lease after each third until it ends', async () => {
    const { clock, worker, runs, put, logged } = open();
    put('a');
    worker.start();
    await clock.pass(10_000);
    expect(logged('renew')).toEqual(['renew 3000', 'renew 6000', 'renew 9000']);
    runs[0]?.end();
    await clock.pass(10_000);
    expect(logged('renew')).toHaveLength(3);
    expect(runs[0]?.scope.why()).toBeUndefined();
  });

  test('is interrupted by the answer to a renewal, and keeps its lease until it ends', async () => {
    const { clock, worker, runs, put, renewing, logged } = open();
    renewing(async () => STOP);
    put('a');
    worker.start();
    await clock.pass(3_000);
    expect(runs[0]?.scope.why()).toEqual(STOP);
    await clock.pass(6_000);
    expect(logged('renew')).toHaveLength(3);
    expect(runs[0]?.scope.why()).toEqual(STOP);
  });

  test('that lost its lease is interrupted at once and renews no more', async () => {
    const { clock, worker, runs, put, renewing, logged } = open();
    renewing(async () => 'lost');
    put('a');
    worker.start();
    await clock.pass(30_000);
    expect(runs[0]?.scope.why()).toEqual({ kind: 'lost' });
    expect(logged('renew')).toHaveLength(1);
  });

  test('goes on while renewals fail, until one says that the lease is lost', async () => {
    const { clock, worker, runs, put, renewing, logged } = open();
    renewing(() => Promise.reject(new Error('no connection')));
    put('a');
    worker.start();
    await clock.pass(60_000);
    expect(logged('renew')).toHaveLength(20);
    expect(runs[0]?.scope.why()).toBeUndefined();
    renewing(async () => 'lost');
    await clock.pass(3_000);
    expect(runs[0]?.scope.why()).toEqual({ kind: 'lost' });
  });
});

describe('the drain', () => {
  test('stops claiming', async () => {
    const { clock, worker, runs, put, wake } = open();
    put('a');
    worker.start();
    await clock.pass(10);
    const drained = worker.drain(1_000);
    put('b');
    wake();
    await clock.pass(500);
    runs[0]?.end();
    await drained;
    expect(runs.map(({ id }) => id)).toEqual(['a']);
    expect(clock.waiting).toBe(0);
  });

  test('hands workspaces over at once, whenever a turn ends, and every half second', async () => {
    const { clock, worker, runs, put, logged } = open();
    put('a');
    put('b');
    worker.start();
    await clock.pass(100);
    const drained = worker.drain(20_000);
    await clock.pass(700);
    expect(logged('hand over')).toEqual(['hand over 100', 'hand over 600']);
    runs[0]?.end();
    await clock.pass(100);
    expect(logged('hand over').at(-1)).toBe('hand over 800');
    runs[1]?.end();
    await drained;
    expect(logged('hand over').slice(3)).toEqual(['hand over 900']);
    expect(clock.waiting).toBe(0);
  });

  test('ends although no workspace can be handed over', async () => {
    const { clock, worker, faults, troubles } = open();
    faults.handOver = new Error('no database');
    worker.start();
    await clock.pass(100);
    await worker.drain(20_000);
    expect(troubles).toEqual([expect.stringContaining('no database')]);
  });

  test('of an idle worker ends at once', async () => {
    const { clock, worker, since } = open();
    worker.start();
    await clock.pass(100);
    await worker.drain(60_000);
    expect([since(), clock.waiting]).toEqual([100, 0]);
  });

  test('of a full worker does not wait for a free place', async () => {
    const { clock, worker, runs, put } = open({ atOnce: 1 });
    put('a');
    worker.start();
    await clock.pass(100);
    let isDrained = false;
    const drained = worker.drain(5_000).then(() => {
      isDrained = true;
    });
    await clock.pass(5_000);
    expect([runs[0]?.scope.why(), isDrained]).toEqual([{ kind: 'release' }, false]);
    runs[0]?.end();
    await drained;
  });

  test('of a worker that was never started ends', async () => {
    await open().worker.drain(1_000);
  });

  test('during an outage does not wait for the pause', async () => {
    const { clock, worker, faults, since } = open();
    faults.claim = new Error('disk full');
    worker.start();
    await clock.pass(100);
    await worker.drain(60_000);
    expect(since()).toBe(100);
  });
});
