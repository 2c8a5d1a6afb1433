/** Tests the end of a turn when its channel, its store or another event interferes. */

import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { isFinal, type ReplyState } from '../../../../src/core/reply.ts';
import type { Inbox } from '../../../../src/core/stores/inbox.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { person, source, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, type ScriptedAgentOptions } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, type Process, seen, type World } from '../../../fakes/world.ts';

const ANSWER = 'Two years.';
const down = new BridgeError('store-unavailable', 'disk full');
let world: World;
afterEach(() => world.close());

function open(script: readonly Act[] = [{ say: ANSWER }], over: Partial<ScriptedAgentOptions> = {}) {
  const agent = createScriptedAgent({ name: 'books', script: () => script, ...over });
  world = createWorld({ agents: [agent] });
  return agent;
}
const told = (turn: TurnId, ...names: readonly string[]): readonly Readonly<Record<string, unknown>>[] =>
  world.events
    .filter((event) => event.turn === turn && names.includes(event.name))
    .map(({ name, detail }) => ({ name, ...detail }));
const stateOf = async (process: Process, turn: TurnId) => (await process.inbox.find(turn))?.state;

/** Wraps the inbox so that the given methods replace its own while `fault.now` is true. */
function faulty(methods: Partial<Inbox>) {
  const fault = { now: false };
  const wrapInbox = (inbox: Inbox): Inbox =>
    new Proxy(inbox, {
      get: (target, key, receiver) =>
        Reflect.get(fault.now && Object.hasOwn(methods, key) ? methods : target, key, receiver),
    });
  return { fault, wrapInbox };
}

describe('a reply that has ended in the store of its channel', () => {
  test.each<[ReplyState, string]>([
    ['done', 'answered'],
    ['partial', 'partial'],
    ['stopped', 'stopped'],
    ['failed', 'failed'],
    ['withdrawn', 'withdrawn'],
    ['thinking', 'failed'],
    ['writing', 'failed'],
  ])('as %s settles its turn as %s, which is recorded with its time', async (ended, state) => {
    open();
    world.channel.ended = () => ended;
    const process = await world.boot({ atOnce: 1 });
    const turn = await ask(process, 'one');
    await world.clock.pass(1_000);
    expect(await stateOf(process, turn)).toBe(state);
    expect(told(turn, 'claimed', 'settled')).toEqual([
      { name: 'settled', state, ms: expect.any(Number), ended: true },
    ]);
    expect(Number(told(turn, 'settled')[0]?.ms)).toBeLessThan(1_000);
    expect(world.troubles).toEqual([]);
  });

  test('is ignored for a stopped turn, which shows its end', async () => {
    open([{ silence: true }]);
    const process = await world.boot();
    await ask(process, 'one');
    const second = await ask(process, 'two');
    await world.clock.pass(1_000);
    world.channel.ended = () => 'done';
    await process.intake({ kind: 'stop', thread: thread(), by: person(), turn: second });
    await world.clock.pass(1_000);
    expect(seen(world.channel, second).document.state).toBe('stopped');
    expect(await stateOf(process, second)).toBe('stopped');
  });

  test('is ignored for a turn whose whole text is recorded, because its sources may be missing', async () => {
    open([{ say: ANSWER }], { sources: () => ({ afterMs: 5_000, sources: [source()] }) });
    const first = await world.boot();
    const turn = await ask(first, 'one');
    await world.clock.pass(2_000);
    first.kill();
    world.channel.ended = () => 'done';
    await world.boot();
    await world.clock.pass(20_000);
    expect(seen(world.channel, turn).document.sources).toHaveLength(1);
  });

  test('is reported to the operator if the channel cannot tell', async () => {
    open();
    world.channel.ended = () => {
      throw down;
    };
    await ask(await world.boot(), 'one');
    await world.clock.pass(2_000);
    expect(world.troubles).toEqual([down]);
  });
});

describe('a finished reply that the store cannot keep', () => {
  test('is still shown, and the failure is reported', async () => {
    open();
    const process = await world.boot({
      wrapKeyed: (keyed) => ({
        ...keyed,
        set: (key, ...rest) => (key.startsWith('version') ? Promise.reject(down) : keyed.set(key, ...rest)),
      }),
    });
    const turn = await ask(process, 'one');
    await world.clock.pass(5_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: ANSWER });
    expect(told(turn, 'trouble')).toEqual([{ name: 'trouble', code: 'store-unavailable', what: 'shelf' }]);
    expect(await stateOf(process, turn)).toBe('answered');
  });

  test('is not stored if the turn is passed on, because it is not final', async () => {
    open([{ pause: 60_000 }]);
    const process = await world.boot();
    const turn = await ask(process, 'one');
    await world.clock.pass(1_000);
    const stopping = process.stop(500);
    await world.clock.pass(3_000);
    await stopping;
    expect(await process.finishedReplies.find(turn)).toBeUndefined();
  });
});

test('a version that expired while its press waited leaves the reply unchanged', async () => {
  open();
  const gone = { now: false };
  const process = await world.boot({
    atOnce: 1,
    wrapKeyed: (keyed) => ({
      ...keyed,
      get: (key) => (gone.now && key.startsWith('version') ? Promise.reject(down) : keyed.get(key)),
    }),
  });
  const first = await ask(process, 'one');
  await world.clock.pass(3_000);
  world.channel.fault = () => ({ kind: 'delay', ms: 5_000 });
  await ask(process, 'busy', { lane: 'other' });
  await world.clock.pass(500);
  const press = { thread: thread(), turn: first, edition: 1, by: person(), key: 'k' };
  const kept = await process.intake({ kind: 'show', ...press });
  if (kept.kind !== 'kept') throw new Error(kept.kind);
  gone.now = true;
  const before = world.channel.showings.filter(({ turn }) => turn === first).length;
  await world.clock.pass(30_000);
  expect(await stateOf(process, kept.turn)).toBe('failed');
  expect(world.channel.showings.filter(({ turn }) => turn === kept.turn)).toEqual([]);
  expect(world.channel.showings.filter(({ turn }) => turn === first)).toHaveLength(before);
});

describe('an end that the store does not record', () => {
  test('is retried every half second while the lease is held, and reported once', async () => {
    let tries = 0;
    const { fault, wrapInbox } = faulty({
      settle: () => {
        tries += 1;
        return Promise.reject(down);
      },
    });
    open();
    const process = await world.boot({ wrapInbox });
    fault.now = true;
    const turn = await ask(process, 'one');
    await world.clock.pass(4_000);
    expect(tries).toBeGreaterThanOrEqual(5);
    expect(tries).toBeLessThanOrEqual(9);
    expect(told(turn, 'settled')).toEqual([]);
    expect(told(turn, 'trouble')[0]).toEqual({
      name: 'trouble',
      code: 'store-unavailable',
      cause: 'disk full',
    });
    fault.now = false;
    await world.clock.pass(1_000);
    expect(told(turn, 'settled')).toHaveLength(1);
  });

  test('is left to the next process at a shutdown', async () => {
    let tries = 0;
    const { fault, wrapInbox } = faulty({
      settle: () => {
        tries += 1;
        return Promise.reject(down);
      },
    });
    open([{ say: 'Two' }, { silence: true }]);
    const process = await world.boot({ wrapInbox });
    const turn = await ask(process, 'one');
    await world.clock.pass(1_000);
    fault.now = true;
    const stopping = process.stop(500);
    await world.clock.pass(2_000);
    await stopping;
    expect(tries).toBe(1);
    expect(told(turn, 'settled')).toEqual([]);
    fault.now = false;
    await world.boot();
    await world.clock.pass(5_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'partial', text: 'Two' });
    expect(told(turn, 'settled')).toMatchObject([{ state: 'partial' }]);
  });
});

describe('an event while the end is being shown', () => {
  /** Starts a turn whose answer is complete, while the channel takes two seconds to show the end. */
  async function ending(): Promise<{ process: Process; turn: TurnId }> {
    open([{ pause: 500 }, { say: ANSWER }]);
    world.channel.fault = ({ document }) =>
      isFinal(document) && document.state !== 'withdrawn' ? { kind: 'delay', ms: 2_000 } : undefined;
    const process = await world.boot();
    const kept = await process.intake(asking('one', { id: 'm' }));
    if (kept.kind !== 'kept') throw new Error(kept.kind);
    await world.clock.pass(1_500);
    expect(await stateOf(process, kept.turn)).toBe('running');
    return { process, turn: kept.turn };
  }

  test('ends the turn as superseded if it is an edit', async () => {
    const { process, turn } = await ending();
    const { message } = asking('two', { id: 'm', revision: 1 });
    await process.intake({ kind: 'edit', message });
    await world.clock.pass(20_000);
    expect(await stateOf(process, turn)).toBe('superseded');
    expect(told(turn, 'settled')).toMatchObject([{ state: 'superseded' }]);
  });

  test('removes the reply if it is a deletion, recorded once as withdrawn', async () => {
    const { process, turn } = await ending();
    await process.intake({ kind: 'delete', thread: thread(), message: 'm' });
    await world.clock.pass(20_000);
    expect(world.channel.messages()).toEqual([]);
    expect(await stateOf(process, turn)).toBe('withdrawn');
    expect(told(turn, 'settled')).toMatchObject([{ state: 'withdrawn' }]);
  });

  test('leaves the end to the next process within seconds if it is a shutdown', async () => {
    open();
    world.channel.fault = ({ document }) =>
      isFinal(document) ? { kind: 'refuse', why: 'rate', retryAfterMs: 600_000 } : undefined;
    const process = await world.boot();
    const turn = await ask(process, 'one');
    await world.clock.pass(2_000);
    let stopped = false;
    void process.stop(500).then(() => {
      stopped = true;
    });
    await world.clock.until(() => stopped, 10_000);
    expect(await stateOf(process, turn)).toBe('waiting');
    expect(told(turn, 'settled', 'released')).toEqual([{ name: 'released' }]);
    world.channel.fault = () => undefined;
    await world.boot();
    await world.clock.pass(20_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: ANSWER });
  });

  test('settles and records nothing if it is the loss of the lease', async () => {
    const { fault, wrapInbox } = faulty({ renew: async () => 'lost' as const });
    open([{ say: ANSWER }]);
    world.channel.fault = ({ document }) => (isFinal(document) ? { kind: 'delay', ms: 8_000 } : undefined);
    const process = await world.boot({ wrapInbox });
    const turn = await ask(process, 'one');
    await world.clock.pass(2_000);
    fault.now = true;
    await world.clock.until(() => process.worker.running === 0, 9_000);
    expect(await stateOf(process, turn)).toBe('running');
    expect(told(turn, 'settled', 'released', 'trouble')).toEqual([]);
  });
});

test('a turn that is forgotten while its end is shown leaves no stored reply', async () => {
  const { fault, wrapInbox } = faulty({ settle: async () => 'lost' as const, find: async () => undefined });
  open([{ say: ANSWER }]);
  world.channel.fault = ({ document }) => (isFinal(document) ? { kind: 'delay', ms: 2_000 } : undefined);
  const process = await world.boot({ wrapInbox });
  const turn = await ask(process, 'one');
  await world.clock.pass(1_500);
  expect(await process.finishedReplies.find(turn)).toBeDefined();
  fault.now = true;
  await world.clock.until(() => process.worker.running === 0, 9_000);
  expect(await process.finishedReplies.find(turn)).toBeUndefined();
});

test('a deleted question whose answer is being written is recorded as withdrawn, without text', async () => {
  open([{ say: 'Two' }, { silence: true }]);
  const process = await world.boot();
  const kept = await process.intake(asking('one', { id: 'm' }));
  if (kept.kind !== 'kept') throw new Error(kept.kind);
  await world.clock.pass(1_000);
  await process.intake({ kind: 'delete', thread: thread(), message: 'm' });
  await world.clock.pass(2_000);
  expect(told(kept.turn, 'interrupted', 'settled', 'released')).toMatchObject([
    { name: 'interrupted', why: 'withdrawn' },
    { name: 'settled', state: 'withdrawn' },
  ]);
  expect(await process.finishedReplies.find(kept.turn)).toBeUndefined();
});

test('a stop during the look-up of earlier questions does not count as lost context', async () => {
  open([{ say: ANSWER }], { memory: 'history' });
  world.channel.lookup = {
    complete: async (message) => message,
    history: (_message, _agent, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(down), { once: true })),
  };
  const process = await world.boot();
  const turn = await ask(process, 'one');
  await world.clock.pass(1_000);
  await process.intake({ kind: 'stop', thread: thread(), by: person() });
  await world.clock.pass(2_000);
  expect(seen(world.channel, turn).document.state).toBe('stopped');
  expect(seen(world.channel, turn).document.notices).toHaveLength(1);
  expect(told(turn, 'trouble', 'interrupted')).toEqual([{ name: 'interrupted', why: 'stop' }]);
});

test('a complete answer of an agent that is no longer configured stays complete, without its sources', async () => {
  open([{ say: ANSWER }], { sources: () => ({ afterMs: 5_000, sources: [source()] }) });
  const first = await world.boot();
  const turn = await ask(first, 'one');
  await world.clock.pass(2_000);
  first.kill();
  await world.boot({ agents: [createScriptedAgent({ name: 'films', script: () => [] })] });
  await world.clock.pass(20_000);
  expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: ANSWER, sources: [] });
  expect(told(turn, 'trouble', 'settled')).toMatchObject([{ name: 'settled', state: 'answered' }]);
});
