import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { Inbox } from '../../../../src/core/stores/inbox.ts';
import { storeUnavailable } from '../../../../src/sqlite.ts';
import { person, source, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, growing } from '../../../fakes/scripted-agent.ts';
import {
  ask,
  asking,
  createWorld,
  LEASE_MS,
  type Process,
  seen,
  type World,
  type WorldOptions,
} from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

function open(script: readonly Act[], options: Partial<WorldOptions> = {}) {
  const agent = createScriptedAgent({ name: 'books', script: () => script });
  world = createWorld({ agents: [agent], ...options });
  return agent;
}
const documentOf = (turn: TurnId) => seen(world.channel, turn).document;
const stop = (process: Process, turn?: TurnId) =>
  process.intake({ kind: 'stop', thread: thread(), by: person(), ...(turn !== undefined && { turn }) });
const SLOW = growing('Two years from the day of purchase.', 4, 1_000);

describe('stop', () => {
  test('while the agent thinks ends the reply at once, frees the agent, and offers Retry', async () => {
    const agent = open([{ silence: true }]);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(5_000);
    expect(await stop(process)).toEqual({ kind: 'stopped' });
    await world.clock.pass(500);
    expect(documentOf(turn)).toMatchObject({ state: 'stopped', text: '', retry: true });
    expect(documentOf(turn).notices[0]?.text).toContain('before the agent answered');
    expect(agent.askings[0]?.ended).toBe('aborted');
    expect((await process.inbox.find(turn))?.state).toBe('stopped');
  });

  test('during an answer keeps the text so far', async () => {
    open(SLOW);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(3_500);
    await stop(process, turn);
    await world.clock.pass(20_000);
    expect(documentOf(turn)).toMatchObject({ state: 'stopped', text: 'Two years fr' });
    expect(documentOf(turn).notices[0]?.text).toContain('The text so far is kept');
  });

  test('of a waiting question shows its end at once, before the running turn’s, and never asks it', async () => {
    const agent = open(SLOW);
    const process = await world.boot();
    const running = await ask(process, 'one');
    const waiting = await ask(process, 'two');
    await world.clock.pass(1_500);
    expect(await stop(process, waiting)).toEqual({ kind: 'stopped' });
    await world.clock.pass(200);
    expect([documentOf(running).state, documentOf(waiting).state]).toEqual(['writing', 'stopped']);
    await world.clock.pass(60_000);
    expect(documentOf(running).state).toBe('done');
    expect(agent.askings).toHaveLength(1);
  });

  test('in a thread stops the running turn, and the next one continues', async () => {
    open(SLOW);
    const process = await world.boot();
    const running = await ask(process, 'one');
    const waiting = await ask(process, 'two');
    await world.clock.pass(1_500);
    await stop(process);
    await world.clock.pass(60_000);
    expect([documentOf(running).state, documentOf(waiting).state]).toEqual(['stopped', 'done']);
  });

  test.each(['stop', '/Stop'])('by the typed word %j creates no turn', async (word) => {
    open(SLOW);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(1_500);
    expect(await process.intake(asking(word))).toEqual({ kind: 'stopped' });
    await world.clock.pass(500);
    expect(documentOf(turn).state).toBe('stopped');
    expect(world.channel.messages()).toHaveLength(1);
  });

  test('as a typed word is answered with a sentence if no answer is running', async () => {
    open(SLOW);
    const process = await world.boot();
    const turn = await ask(process, 'stop');
    await world.clock.pass(2_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'No answer is running here.' });
  });

  test('of an ended turn, or of another thread, changes nothing', async () => {
    open(SLOW);
    const process = await world.boot();
    const turn = await ask(process, 'one', { lane: 'other' });
    expect(await stop(process)).toEqual({ kind: 'nothing-to-stop' });
    await world.clock.pass(60_000);
    expect(await stop(process, turn)).toEqual({ kind: 'nothing-to-stop' });
    expect(documentOf(turn).state).toBe('done');
  });

  test('of the stream of an earlier attempt does not stop the Retry', async () => {
    open([{ silence: true }]);
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(1_500);
    const [shown] = world.channel.messages();
    const streams = shown === undefined ? [] : [shown.id];
    const stopStream = (of: { readonly turn?: TurnId } = {}) =>
      process.intake({ kind: 'stop', thread: thread(), by: person(), streams, ...of });
    expect(await stopStream()).toEqual({ kind: 'stopped' });
    await world.clock.pass(1_500);
    const { message } = asking('How long?');
    const retried = await process.intake({
      kind: 'ask',
      origin: { kind: 'retry', of: first, key: 'press', by: 'u1' },
      message,
    });
    expect(await stopStream()).toEqual({ kind: 'nothing-to-stop' });
    await world.clock.pass(1_500);
    expect(await stopStream()).toEqual({ kind: 'nothing-to-stop' });
    if (retried.kind !== 'kept') throw new Error('The Retry was not stored.');
    // Slack's adapter names the running turn whose message the stream wrote.
    expect(await stopStream({ turn: retried.turn })).toEqual({ kind: 'nothing-to-stop' });
    expect(await stop(process)).toEqual({ kind: 'stopped' });
  });

  test('in another process takes effect within a third of a lease', async () => {
    open([{ silence: true }]);
    const first = await world.boot({ owner: 'one' });
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    const second = await world.boot({ owner: 'two' });
    expect(await stop(second, turn)).toEqual({ kind: 'stopped' });
    await world.clock.pass(LEASE_MS / 3 + 100);
    expect(documentOf(turn).state).toBe('stopped');
  });

  test('after the complete answer leaves it an answer', async () => {
    const agent = createScriptedAgent({
      name: 'books',
      script: () => [{ say: 'Two years.' }],
      sources: () => ({ afterMs: 15_000, sources: [source()] }),
    });
    world = createWorld({ agents: [agent] });
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    await stop(process, turn);
    await world.clock.pass(1_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'Two years.', notices: [] });
    expect((await process.inbox.find(turn))?.state).toBe('answered');
  });
});

describe('the deadline', () => {
  test('ends an endless answer and keeps the text so far', async () => {
    const agent = open([{ say: 'Two ' }, { silence: true }], { turnMs: 30_000 });
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(31_000);
    expect(documentOf(turn)).toMatchObject({ state: 'partial', text: 'Two ', retry: true });
    expect(documentOf(turn).notices[0]?.text).toContain('took longer');
    expect(agent.askings[0]?.ended).toBe('aborted');
    expect((await process.inbox.find(turn))?.state).toBe('partial');
  });

  test('without any text is a failure with Retry', async () => {
    open([{ silence: true }], { turnMs: 30_000 });
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(31_000);
    expect(documentOf(turn)).toMatchObject({ state: 'failed', retry: true });
  });
});

describe('a reply that a person deleted', () => {
  test('is not posted again: the turn is withdrawn and the agent freed', async () => {
    const agent = open(SLOW);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(2_500);
    world.channel.remove(seen(world.channel, turn).id);
    await world.clock.pass(60_000);
    expect(world.channel.messages()).toEqual([]);
    expect((await process.inbox.find(turn))?.state).toBe('withdrawn');
    expect(agent.askings.map(({ ended }) => ended)).toEqual(['aborted']);
  });
});

describe('a lost lease', () => {
  /** Wraps the inbox so that this method resolves with `lost`, as after a lost lease, while `lost.now` is true. */
  function losable(method: 'checkpoint' | 'renew') {
    const lost = { now: false };
    const wrapInbox = (inbox: Inbox): Inbox =>
      new Proxy(inbox, {
        get(target, key, receiver) {
          if (lost.now && key === method) return () => Promise.resolve('lost');
          return Reflect.get(target, key, receiver);
        },
      });
    return { lost, wrapInbox };
  }

  test.each([
    'checkpoint',
    'renew',
  ] as const)('reported by %s ends all writes, requests and settlements', async (method) => {
    const agent = open(SLOW);
    const { lost, wrapInbox } = losable(method);
    const process = await world.boot({ wrapInbox });
    const turn = await ask(process, 'How long?');
    await world.clock.pass(3_010);
    lost.now = true;
    const calls: number[] = [];
    world.channel.fault = () => {
      calls.push(world.clock.now());
      return undefined;
    };
    await world.clock.until(() => process.worker.running === 0, LEASE_MS);
    if (method === 'checkpoint') expect(calls).toEqual([]);
    expect(agent.askings[0]?.ended).toBe('aborted');
    expect((await process.inbox.find(turn))?.state).toBe('running');
    expect(documentOf(turn).state).toBe('writing');
  });
});

describe('a lease in doubt, because the store is out of reach', () => {
  /** An inbox whose operations reject while `down.now` is true. Meanwhile, `holdsLease` returns false. */
  function unreachable() {
    const down = { now: false };
    const wrapInbox = (inbox: Inbox): Inbox =>
      new Proxy(inbox, {
        get(target, key, receiver) {
          if (!down.now || key === 'onSignal') return Reflect.get(target, key, receiver);
          if (key === 'holdsLease') return () => false;
          return () => Promise.reject(storeUnavailable(new Error('no connection')));
        },
      });
    return { down, wrapInbox };
  }
  /** Breaks the connection for 30 s during an answer of 4 s, and returns the times of the calls to the channel. */
  async function askThroughOutage(process: Process, down: { now: boolean }) {
    const turn = await ask(process, 'How long?');
    await world.clock.pass(1_500);
    const calls: number[] = [];
    const from = world.clock.now();
    world.channel.fault = () => {
      calls.push(world.clock.now() - from);
      return undefined;
    };
    down.now = true;
    await world.clock.pass(30_000);
    down.now = false;
    await world.clock.pass(5_000);
    return { turn, calls };
  }

  test('shows nothing, listens to the agent, and shows the whole answer when the store is back', async () => {
    const agent = open(SLOW);
    const { down, wrapInbox } = unreachable();
    const process = await world.boot({ wrapInbox });
    const { turn, calls } = await askThroughOutage(process, down);
    expect(Math.min(...calls)).toBeGreaterThanOrEqual(30_000);
    expect(agent.askings.map(({ ended }) => ended)).toEqual(['ended']);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'Two years from the day of purchase.' });
    expect((await process.inbox.find(turn))?.state).toBe('answered');
    expect(await process.finishedReplies.find(turn)).toBeDefined();
  });

  test('leaves the reply to the other replica that took it over meanwhile', async () => {
    open(SLOW);
    const { down, wrapInbox } = unreachable();
    const first = await world.boot({ owner: 'one', wrapInbox });
    await world.boot({ owner: 'two' });
    const { turn } = await askThroughOutage(first, down);
    expect(documentOf(turn)).toMatchObject({ state: 'partial' });
    const byTwo = world.channel.showings.findIndex(({ process }) => process.startsWith('two'));
    const after = world.channel.showings.slice(byTwo).map(({ document }) => document);
    expect(after.filter(({ state, text }) => state === 'done' || text !== after[0]?.text)).toEqual([]);
  });
});

test('is not caused by a clock that jumps by an hour', async () => {
  const agent = open(SLOW);
  const process = await world.boot();
  const turn = await ask(process, 'How long?');
  await world.clock.pass(2_500);
  world.clock.jump(3_600_000);
  await world.clock.pass(3_000);
  world.clock.jump(-3_600_000);
  await world.clock.pass(20_000);
  expect(documentOf(turn)).toMatchObject({ state: 'done', text: 'Two years from the day of purchase.' });
  expect(agent.askings).toHaveLength(1);
});
