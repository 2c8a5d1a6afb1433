import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { Inbox } from '../../../../src/core/stores/inbox.ts';
import { storeUnavailable } from '../../../../src/sqlite.ts';
import { thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, seen, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

/**
 * Makes the store unreachable for one process while `state.cut` is true, and its turns missing while `state.deleted`
 * is true. `state.added` counts the turns that the process adds, without the first turn.
 */
function reachable() {
  const state = { cut: false, deleted: false, added: -1 };
  const wrapInbox = (inbox: Inbox): Inbox =>
    new Proxy(inbox, {
      get(target, key, receiver) {
        if (key === 'add') state.added += 1;
        if (key === 'find' && state.deleted) return async () => undefined;
        if (!state.cut || key === 'onSignal') return Reflect.get(target, key, receiver);
        if (key === 'holdsLease') return () => false;
        return () => Promise.reject(storeUnavailable(new Error('no connection')));
      },
    });
  return { state, wrapInbox };
}

test.each<[string, readonly Act[]]>([
  ['before it repeats a request', [{ pause: 20_000 }, { repeat: 0 }]],
  ['while it connects to the platform', [{ repeat: 20_000 }]],
])('a process that was cut off %s does not ask what the new owner has asked', async (_when, acts) => {
  const agent = createScriptedAgent({
    name: 'books',
    script: (_question, nth) => (nth === 1 ? [...acts, { say: 'Three years' }] : [{ say: 'Two years' }]),
  });
  world = createWorld({ agents: [agent] });
  const { state, wrapInbox } = reachable();
  const slow = await world.boot({ owner: 'slow', wrapInbox });
  const turn = await ask(slow, 'How long?');
  await world.clock.pass(1_000);
  state.cut = true;
  const next = await world.boot({ owner: 'next' });
  await world.clock.pass(25_000);
  expect((await next.inbox.find(turn))?.state).toBe('answered');
  state.cut = false;
  await world.clock.pass(30_000);
  expect(agent.askings.map(({ process }) => process)).toEqual(['slow 1', 'next 2']);
  expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: 'Two years' });
});

/**
 * Cuts the process off from a shared store while `state.cut` is true, and lets only its checkpoints fail while
 * `state.keepsNothing` is true. It holds its lease while `state.leased` is true.
 */
function cutOff() {
  const state = { cut: false, keepsNothing: false, leased: true };
  const wrapInbox = (inbox: Inbox): Inbox =>
    new Proxy(inbox, {
      get(target, key, receiver) {
        if (key === 'isShared') return true;
        if (key === 'holdsLease') return () => state.leased;
        const fails = state.cut || (state.keepsNothing && key === 'checkpoint');
        if (!fails || key === 'onSignal') return Reflect.get(target, key, receiver);
        return () => Promise.reject(storeUnavailable(new Error('no connection')));
      },
    });
  return { state, wrapInbox };
}

describe('a process that is cut off from a shared store', () => {
  const words = Array.from({ length: 50 }, (_, nth) => ` word${nth}`);
  const open = async () => {
    world = createWorld({
      agents: [
        createScriptedAgent({
          name: 'books',
          script: () => words.flatMap((say): Act[] => [{ say }, { pause: 100 }]),
        }),
      ],
    });
    const { state, wrapInbox } = cutOff();
    const cut = await world.boot({ owner: 'cut', wrapInbox });
    const turn = await ask(cut, 'How long?');
    await world.clock.pass(1_500);
    state.cut = true;
    // The call that is in flight still ends.
    await world.clock.pass(50);
    return { state, cut, turn };
  };
  const text = (turn: TurnId) => seen(world.channel, turn).document.text;
  const whole = words.join('');

  test('shows only what is stored, so that the next owner takes no text back', async () => {
    const { state, turn } = await open();
    const shown = text(turn);
    expect(shown.length).toBeGreaterThan(50);
    await world.clock.pass(5_000);
    expect(text(turn)).toBe(shown);
    state.leased = false;
    const next = await world.boot({ owner: 'next' });
    await world.clock.pass(12_000);
    expect((await next.inbox.find(turn))?.state).toBe('partial');
    expect(text(turn)).toBe(shown);
    state.cut = false;
    await world.clock.pass(30_000);
    expect(text(turn)).toBe(shown);
    expect(seen(world.channel, turn).document.state).toBe('partial');
  });

  test('asks the agent only once the store knows that it is asked', async () => {
    const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'Two years' }] });
    world = createWorld({ agents: [agent] });
    const { state, wrapInbox } = cutOff();
    const cut = await world.boot({ owner: 'cut', wrapInbox });
    state.keepsNothing = true;
    const turn = await ask(cut, 'How long?');
    await world.clock.pass(5_000);
    expect(agent.askings).toEqual([]);
    state.keepsNothing = false;
    await world.clock.pass(3_000);
    expect(agent.askings).toHaveLength(1);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: 'Two years' });
  });

  test('goes on to read the answer, and shows all of it once the store accepts it', async () => {
    const { state, turn } = await open();
    await world.clock.pass(5_000);
    expect(text(turn)).not.toContain('word49');
    state.cut = false;
    await world.clock.pass(2_000);
    expect(text(turn)).toBe(whole);
    expect(seen(world.channel, turn).document.state).toBe('done');
  });

  test('leaves the end to the next process if it is shut down meanwhile', async () => {
    const { cut, turn } = await open();
    const shown = text(turn);
    const stopped = cut.stop(0);
    await world.clock.pass(20_000);
    await stopped;
    expect(text(turn)).toBe(shown);
    const next = await world.boot({ owner: 'next' });
    await world.clock.pass(20_000);
    expect((await next.inbox.find(turn))?.state).toBe('partial');
    expect(text(turn)).toBe(shown);
  });
});

describe('a process that loses its lease during a call', () => {
  /**
   * Runs one question in a process whose next edit takes 40 s, cuts that process off from the store, and lets a
   * second process take over. The edit takes effect after half of the 40 s, long after the second process ended the
   * reply.
   */
  async function takenOver() {
    world = createWorld({
      agents: [
        createScriptedAgent({
          name: 'books',
          script: () => [{ say: 'Two years' }, { pause: 2_000 }, { say: ' from' }, { silence: true }],
        }),
      ],
    });
    const { state, wrapInbox } = reachable();
    const slow = await world.boot({ owner: 'slow', wrapInbox });
    const turn = await ask(slow, 'How long?');
    await world.clock.pass(1_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'writing', text: 'Two years' });
    let delayed = 0;
    world.channel.fault = ({ kind }) => {
      if (kind !== 'edit' || delayed > 0) return undefined;
      delayed += 1;
      return { kind: 'delay', ms: 40_000 };
    };
    await world.clock.pass(2_000);
    expect(delayed).toBe(1);
    state.cut = true;
    const next = await world.boot({ owner: 'next' });
    await world.clock.pass(15_000);
    expect((await next.inbox.find(turn))?.state).toBe('partial');
    return { turn, state, next };
  }

  test('has the new owner show the end again, although its outdated edit arrived last', async () => {
    const { turn, state } = await takenOver();
    const end = seen(world.channel, turn).document;
    await world.clock.pass(6_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'writing', text: 'Two years from' });
    state.cut = false;
    await world.clock.pass(30_000);
    expect(world.channel.messages()).toHaveLength(1);
    expect(world.channel.messages()[0]?.document).toEqual(end);
    expect(end).toMatchObject({ state: 'partial', text: expect.stringContaining('Two years') });
  });

  test('has the end repaired once', async () => {
    const { state, next } = await takenOver();
    await world.clock.pass(6_000);
    state.cut = false;
    await world.clock.pass(30_000);
    const calls = world.channel.showings.length;
    expect(state.added).toBe(1);
    expect(await next.inbox.counts()).toEqual({ waiting: 0, running: 0 });
    await world.clock.pass(60_000);
    expect(world.channel.showings).toHaveLength(calls);
  });

  test('stores nothing if the data of the turn was deleted meanwhile', async () => {
    const { state, next } = await takenOver();
    await world.clock.pass(6_000);
    state.deleted = true;
    state.cut = false;
    await world.clock.pass(30_000);
    expect(state.added).toBe(0);
    expect(await next.inbox.counts()).toEqual({ waiting: 0, running: 0 });
  });
});

test('a message that arrives after the question was deleted is removed', async () => {
  const agent = createScriptedAgent({
    name: 'books',
    script: () => [{ say: 'Two years' }, { silence: true }],
  });
  world = createWorld({ agents: [agent] });
  const { state, wrapInbox } = reachable();
  const slow = await world.boot({ owner: 'slow', wrapInbox });
  let delayed = 0;
  world.channel.fault = ({ kind }) => {
    delayed += kind === 'post' ? 1 : 0;
    return kind === 'post' && delayed === 1 ? { kind: 'delay', ms: 28_000 } : undefined;
  };
  const turn = await ask(slow, 'How long?', { id: 'm' });
  await world.clock.pass(1_000);
  expect(delayed).toBe(1);
  state.cut = true;
  const next = await world.boot({ owner: 'next' });
  await next.intake({ kind: 'delete', thread: thread(), message: 'm' });
  await world.clock.pass(15_000);
  expect((await next.inbox.find(turn))?.state).toBe('withdrawn');
  await world.clock.pass(10_000);
  expect(world.channel.messages()).toHaveLength(1);
  state.cut = false;
  await world.clock.pass(30_000);
  expect(world.channel.messages()).toEqual([]);
});

test('an answer that ends after its question was deleted is not in the history of the thread', async () => {
  const script = (_question: unknown, nth: number): readonly Act[] =>
    nth === 1 ? [{ pause: 30_000 }, { say: 'Two years' }] : [{ say: 'Three years' }];
  const agent = createScriptedAgent({ name: 'books', script, memory: 'history' });
  world = createWorld({ agents: [agent] });
  let renews = true;
  const { state, wrapInbox } = reachable();
  const slow = await world.boot({
    owner: 'slow',
    // The answer ends before the process notices that its lease is lost.
    wrapInbox: (inbox) =>
      new Proxy(wrapInbox(inbox), {
        get: (target, key) =>
          key === 'renew' && !renews ? async () => 'held' : Reflect.get(target, key, target),
      }),
  });
  await ask(slow, 'How long?', { id: 'm' });
  await world.clock.pass(1_000);
  state.cut = true;
  renews = false;
  const next = await world.boot({ owner: 'next' });
  await world.clock.pass(20_000);
  await next.intake({ kind: 'delete', thread: thread({ key: 't1' }), message: 'm' });
  await world.clock.pass(5_000);
  state.cut = false;
  await world.clock.pass(20_000);
  await ask(next, 'And now?');
  await world.clock.pass(5_000);
  const last = agent.askings.at(-1);
  expect([last?.question.text, last?.question.history]).toEqual(['And now?', []]);
});
