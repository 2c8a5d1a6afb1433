import { afterEach, describe, expect, test } from 'vitest';
import { type TurnId, turnId } from '../../../../src/core/ids.ts';
import type { TurnScope } from '../../../../src/core/live-reply/scope.ts';
import { isFinal } from '../../../../src/core/reply.ts';
import type { Claim, Inbox, InboxSignal } from '../../../../src/core/stores/inbox.ts';
import { Worker, type WorkerDeps } from '../../../../src/core/turns/worker.ts';
import { claim, turn } from '../../../fakes/samples.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { ask, createWorld, seen, type World } from '../../../fakes/world.ts';

const LEASE_MS = 9_000;

/** A worker with an inbox. The test controls the claims and the results of renewals. */
function open(renew: Inbox['renew'] = async () => 'held') {
  const clock = createVirtualClock();
  const claims: Claim[] = [];
  const runs: { readonly scope: TurnScope; end(): void }[] = [];
  const listeners = new Set<(signal: InboxSignal) => void>();
  const inbox: Pick<Inbox, 'expire' | 'claim' | 'renew' | 'onSignal' | 'handOver'> = {
    expire: async () => 0,
    handOver: async () => undefined,
    claim: async () => claims.shift(),
    renew,
    onSignal: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const run: WorkerDeps['run'] = (_, scope) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    runs.push({ scope, end: resolve });
    return promise;
  };
  const worker = new Worker({
    inbox: inbox as Inbox,
    clock,
    turnEvents: { record: () => undefined, trouble: () => undefined },
    atOnce: 10,
    turnMs: 600_000,
    run,
  });
  const signal = (told: InboxSignal) => {
    for (const listener of listeners) listener(told);
  };
  return {
    ...{ clock, worker, runs, signal, listeners },
    /** Adds a turn to be claimed next. */
    give(attempt = 1, id = turn().id) {
      claims.push(claim({ turn: turn({ attempt, id }), until: clock.now() + LEASE_MS }));
      signal({ kind: 'claimable' });
    },
  };
}

test('the end of an attempt that lost its lease does not affect the signals of the next one', async () => {
  const answers: ('held' | 'lost')[] = ['lost'];
  const { clock, worker, runs, signal, give } = open(async () => answers.shift() ?? 'held');
  worker.start();
  give();
  await clock.pass(LEASE_MS);
  expect(runs[0]?.scope.why()).toEqual({ kind: 'lost' });
  give(2);
  await clock.pass(100);
  expect(runs).toHaveLength(2);
  runs[0]?.end();
  await clock.pass(100);
  signal({ kind: 'interrupted', id: turn().id, why: { kind: 'stop', by: 'ada' } });
  expect(runs[1]?.scope.why()).toEqual({ kind: 'stop', by: 'ada' });
});

test('turns that wait for a channel that is down take no place, up to as many as may run', async () => {
  const { clock, worker, runs, give } = open();
  worker.start();
  const giveTen = (round: number) => {
    for (let n = 0; n < 10; n++) give(1, turnId(`${round}-${n}`));
    return clock.pass(2_000);
  };
  await giveTen(1);
  await giveTen(2);
  expect(runs).toHaveLength(10);
  const resumes = runs.map(({ scope }) => scope.stall());
  await clock.pass(2_000);
  expect(runs).toHaveLength(20);
  resumes.push(...runs.slice(10).map(({ scope }) => scope.stall()));
  await giveTen(3);
  expect(runs).toHaveLength(20);
  for (const resume of resumes) resume();
  for (const { end } of runs.slice(0, 12)) end();
  await clock.pass(2_000);
  expect(runs).toHaveLength(22);
});

describe('a drained worker', () => {
  test('leaves no timer and no listener, even if its turns ended long before the grace period', async () => {
    const { clock, worker, runs, listeners, give } = open();
    worker.start();
    give();
    await clock.pass(100);
    const drained = worker.drain(20_000);
    await clock.pass(100);
    runs[0]?.end();
    await drained;
    expect([clock.waiting, listeners.size]).toEqual([0, 0]);
  });

  test('gives turns the whole grace period, and then interrupts them', async () => {
    const { clock, worker, runs, give } = open();
    worker.start();
    give();
    await clock.pass(100);
    const drained = worker.drain(20_000);
    await clock.pass(19_999);
    expect(runs[0]?.scope.why()).toBeUndefined();
    await clock.pass(1);
    expect(runs[0]?.scope.why()).toEqual({ kind: 'release' });
    runs[0]?.end();
    await drained;
  });
});

describe('an answer whose end the channel never shows', () => {
  let world: World;
  afterEach(() => world.close());

  const stateOf = async (refused: boolean): Promise<readonly [string | undefined, TurnId]> => {
    const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'Two years.' }] });
    world = createWorld({ agents: [agent] });
    world.channel.fault = ({ document }) =>
      refused && isFinal(document) ? { kind: 'refuse', why: 'invalid' } : undefined;
    const process = await world.boot();
    const asked = await ask(process, 'How long?');
    await world.clock.pass(300_000);
    return [(await process.inbox.find(asked))?.state, asked];
  };

  test('is recorded as failed', async () => {
    const [state, asked] = await stateOf(true);
    expect(seen(world.channel, asked).document.state).not.toBe('done');
    expect(state).toBe('failed');
  });

  test('is recorded as answered if it was shown', async () => {
    expect(await stateOf(false)).toMatchObject(['answered', expect.anything()]);
  });
});
