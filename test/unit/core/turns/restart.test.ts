import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { person, source, thread } from '../../../fakes/samples.ts';
import {
  type Act,
  createScriptedAgent,
  growing,
  type ScriptedAgentOptions,
} from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, LEASE_MS, seen, TURN_MS, type World } from '../../../fakes/world.ts';

const ANSWER = 'Two years from the day of purchase.';
let world: World;
afterEach(() => world.close());

function open(script: readonly Act[], over: Partial<ScriptedAgentOptions> = {}) {
  const agent = createScriptedAgent({ name: 'books', script: () => script, ...over });
  world = createWorld({ agents: [agent] });
  return agent;
}
const documentOf = (turn: TurnId) => seen(world.channel, turn).document;
const messagesOf = (turn: TurnId) =>
  new Set(world.channel.showings.filter((each) => each.turn === turn).map(({ message }) => message));

describe('a turn whose reply has ended in the store of its channel', () => {
  test('is settled in that state: it is not asked, and its reply stays unchanged', async () => {
    const agent = open([{ say: ANSWER }]);
    world.channel.ended = () => 'stopped';
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(2_000);
    expect((await process.inbox.find(turn))?.state).toBe('stopped');
    expect(agent.askings).toEqual([]);
    expect(messagesOf(turn).size).toBe(0);
  });

  test('runs if the channel cannot tell', async () => {
    open([{ say: ANSWER }]);
    world.channel.ended = () => {
      throw new Error('The store of the channel is damaged.');
    };
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: ANSWER });
  });
});

describe('during a shutdown', () => {
  test('a turn without text is passed on, and the next process finishes it in the same message', async () => {
    const agent = open([{ pause: 5_000 }, { say: ANSWER }]);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    const stopping = first.stop(2_000);
    await world.clock.pass(3_000);
    await stopping;
    expect(documentOf(turn).state).toBe('thinking');
    const next = await world.boot({ owner: 'two' });
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: ANSWER, notices: [] });
    expect(messagesOf(turn).size).toBe(1);
    expect((await next.inbox.find(turn))?.state).toBe('answered');
    expect(agent.askings.map(({ ended }) => ended)).toEqual(['aborted', 'ended']);
  });

  test('a turn with text is closed as partial, with Retry, by the process that holds it', async () => {
    open([{ say: 'Two years' }, { silence: true }]);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    const stopping = first.stop(2_000);
    await world.clock.pass(3_000);
    await stopping;
    expect(documentOf(turn)).toMatchObject({ state: 'partial', text: 'Two years', retry: true });
    expect(documentOf(turn).notices[0]?.text).toContain('lost its database');
    expect((await first.inbox.find(turn))?.state).toBe('partial');
  });

  test('an end that the channel does not accept in time is shown by the next process', async () => {
    const agent = open([{ say: 'Two years' }, { silence: true }]);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    world.channel.fault = () => ({ kind: 'refuse', why: 'rate', retryAfterMs: 600_000 });
    const stopping = first.stop(2_000);
    const askedAt = world.clock.now();
    let stoppedAt: number | undefined;
    void stopping.then(() => {
      stoppedAt = world.clock.now();
    });
    await world.clock.until(() => stoppedAt !== undefined, 60_000);
    expect((stoppedAt ?? 0) - askedAt).toBeLessThan(10_000);
    expect((await first.inbox.find(turn))?.state).toBe('waiting');
    world.channel.fault = () => undefined;
    await world.boot();
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'partial', text: 'Two years', retry: true });
    expect(messagesOf(turn).size).toBe(1);
    expect(agent.askings).toHaveLength(1);
  });

  test('turns that can end in time do; no further turn is claimed', async () => {
    open(growing(ANSWER, 5, 300));
    const first = await world.boot();
    const running = await ask(first, 'one');
    const waiting = await ask(first, 'two');
    await world.clock.pass(1_000);
    const stopping = first.stop(20_000);
    const startedAt = world.clock.now();
    await world.clock.until(() => first.worker.running === 0, 20_000);
    await stopping;
    expect(world.clock.now() - startedAt).toBeLessThan(5_000);
    expect(documentOf(running).state).toBe('done');
    expect(messagesOf(waiting).size).toBe(0);
    await world.boot();
    await world.clock.pass(10_000);
    expect(documentOf(waiting).state).toBe('done');
  });

  test('a post in flight is awaited, so that the next process has the message’s id', async () => {
    open([{ pause: 5_000 }, { say: ANSWER }]);
    world.channel.fault = ({ count }) => (count === 1 ? { kind: 'delay', ms: 3_000 } : undefined);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(2_000);
    const stopping = first.stop(0);
    await world.clock.pass(5_000);
    await stopping;
    expect((await first.inbox.find(turn))?.screen?.parts).toEqual([
      expect.objectContaining({ id: seen(world.channel, turn).id }),
    ]);
    expect(world.channel.messages()).toHaveLength(1);
  });
});

describe('when the process is killed', () => {
  const PHASES: readonly { phase: string; after: number; asked: number; state: string; text: string }[] = [
    { phase: 'new', after: 0, asked: 1, state: 'done', text: ANSWER },
    { phase: 'asking', after: 1_000, asked: 2, state: 'done', text: ANSWER },
    { phase: 'answering', after: 3_500, asked: 1, state: 'partial', text: 'Two years from ' },
    { phase: 'ending', after: 10_000, asked: 1, state: 'done', text: ANSWER },
  ];
  const script = [{ pause: 2_000 }, ...growing(ANSWER, 5, 500)];
  const sources = () => ({ afterMs: 5_000, sources: [source()] });

  test.each(PHASES)('while $phase, the turn continues at once in the same process', async (at) => {
    const agent = open(script, { sources });
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    if (at.after > 0) await world.clock.pass(at.after);
    expect((await first.inbox.find(turn))?.phase).toBe(at.phase);
    first.kill();
    const second = await world.boot();
    await world.clock.pass(30_000);
    expect(documentOf(turn)).toMatchObject({ state: at.state, text: at.text });
    expect(agent.askings).toHaveLength(at.asked);
    expect(messagesOf(turn).size).toBe(1);
    expect((await second.inbox.find(turn))?.state).toBe(at.state === 'done' ? 'answered' : 'partial');
  });

  test.each(
    PHASES,
  )('while $phase, another process takes the turn over when its lease expires', async (at) => {
    const agent = open(script, { sources });
    const first = await world.boot({ owner: 'one' });
    const second = await world.boot({ owner: 'two' });
    const turn = await ask(first, 'How long?');
    if (at.after > 0) await world.clock.pass(at.after);
    first.kill();
    const killedAt = world.clock.now();
    await world.clock.until(() => second.worker.running === 1);
    expect(world.clock.now() - killedAt).toBeLessThanOrEqual(LEASE_MS + 1_100);
    await world.clock.pass(20_000);
    expect(documentOf(turn)).toMatchObject({ state: at.state, text: at.text });
    expect(agent.askings).toHaveLength(at.asked);
    expect(messagesOf(turn).size).toBe(1);
  });

  test('during a post, the message that may exist is looked up', async () => {
    open(script);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(15);
    expect(messagesOf(turn).size).toBe(1);
    first.kill();
    await world.boot();
    await world.clock.pass(30_000);
    expect(world.channel.messages()).toHaveLength(1);
    expect(documentOf(turn).state).toBe('done');
  });

  test('the session is kept', async () => {
    const agent = open([{ tell: { type: 'session', session: 's1' } }, { pause: 60_000 }]);
    const first = await world.boot();
    await ask(first, 'How long?');
    await world.clock.pass(1_000);
    first.kill();
    await world.boot();
    await world.clock.pass(1_000);
    expect(agent.askings.map(({ question }) => question.session)).toEqual([undefined, 's1']);
  });

  test('a stopped turn stays stopped', async () => {
    const agent = open(script);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(3_500);
    await first.intake({ kind: 'stop', thread: thread(), by: person(), turn });
    first.kill();
    await world.boot();
    await world.clock.pass(5_000);
    expect(documentOf(turn)).toMatchObject({ state: 'stopped', text: 'Two years from ' });
    expect(agent.askings).toHaveLength(1);
  });

  test('a question that kills every process that asks it is given up, with Retry', async () => {
    const agent = open([{ silence: true }]);
    let process = await world.boot();
    const turn = await ask(process, 'How long?');
    for (let kills = 0; kills < 3; kills += 1) {
      await world.clock.pass(1_000);
      process.kill();
      process = await world.boot();
    }
    await world.clock.pass(5_000);
    expect(documentOf(turn)).toMatchObject({ state: 'failed', retry: true });
    expect(documentOf(turn).notices[0]?.text).toContain('after several attempts');
    expect(agent.askings).toHaveLength(3);
  });

  test('an answer that was shown completely stays unchanged', async () => {
    open([{ say: ANSWER }], { sources });
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(2_000);
    expect(documentOf(turn).state).toBe('done');
    first.kill();
    const before = world.channel.showings.length;
    await world.boot();
    await world.clock.pass(20_000);
    const after = world.channel.showings.slice(before).map(({ document }) => document);
    expect(after.map(({ state, text }) => ({ state, text }))).toEqual(
      after.map(() => ({ state: 'done', text: ANSWER })),
    );
    expect(documentOf(turn).sources).toHaveLength(1);
  });

  test('an interrupted answer is never shown as running by the next process', async () => {
    open([{ say: 'Two years ' }, { pause: 60_000 }]);
    const first = await world.boot();
    await ask(first, 'How long?');
    await world.clock.pass(2_000);
    first.kill();
    const before = world.channel.showings.length;
    await world.boot();
    await world.clock.pass(5_000);
    const states = world.channel.showings.slice(before).map(({ document }) => document.state);
    expect(new Set(states)).toEqual(new Set(['partial']));
  });

  test.each([
    { when: 'before its answer', script: [{ pause: 60_000 }], text: '' },
    { when: 'during its answer', script: [{ say: 'Two years ' }, { pause: 60_000 }], text: 'Two years ' },
  ] satisfies {
    when: string;
    script: Act[];
    text: string;
  }[])('a turn that was stopped $when is never shown as running by the next process', async ({
    script: acts,
    text,
  }) => {
    open(acts);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(2_000);
    await first.intake({ kind: 'stop', thread: thread(), by: person(), turn });
    await world.clock.until(() => documentOf(turn).state === 'stopped');
    first.kill();
    const before = world.channel.showings.length;
    const second = await world.boot();
    await world.clock.pass(5_000);
    const states = world.channel.showings.slice(before).map(({ document }) => document.state);
    expect(new Set(states)).toEqual(new Set(['stopped']));
    expect(documentOf(turn).text).toBe(text);
    expect((await second.inbox.find(turn))?.state).toBe('stopped');
  });

  test('a turn that reached its deadline is not asked again by the next process', async () => {
    const agent = open([{ pause: TURN_MS * 2 }]);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    await world.clock.until(() => documentOf(turn).state === 'failed', TURN_MS * 2);
    first.kill();
    const before = world.channel.showings.length;
    await world.boot();
    await world.clock.pass(10_000);
    const states = world.channel.showings.slice(before).map(({ document }) => document.state);
    expect(new Set(states)).toEqual(new Set(['failed']));
    expect(agent.askings).toHaveLength(1);
  });

  test('a failure that was shown stays, even if the process is killed before it records the end', async () => {
    const failure = new BridgeError('platform-server', 'The platform failed.');
    const agent = open([{ pause: 1_000 }, { fail: failure }]);
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.until(() => world.channel.showings.some(({ document }) => document.state === 'failed'));
    first.kill();
    await world.boot();
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'failed', retry: true });
    expect(agent.askings).toHaveLength(1);
  });

  test('a stop while a complete answer waits for its sources leaves it complete', async () => {
    open([{ say: ANSWER }], { sources });
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(2_000);
    await first.intake({ kind: 'stop', thread: thread(), by: person(), turn });
    first.kill();
    const second = await world.boot();
    await world.clock.pass(20_000);
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: ANSWER, notices: [] });
    expect((await second.inbox.find(turn))?.state).toBe('answered');
  });

  test('a process that only seemed dead writes nothing after a takeover', async () => {
    const agent = open([{ say: 'Two ' }, { pause: 40_000 }, { say: 'years' }]);
    const cut = { off: false };
    const first = await world.boot({
      owner: 'one',
      wrapInbox: (inbox) =>
        new Proxy(inbox, {
          get: (target, key, receiver) =>
            cut.off && (key === 'renew' || key === 'claim')
              ? () => Promise.reject(new Error('no way to the store'))
              : Reflect.get(target, key, receiver),
        }),
    });
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    cut.off = true;
    await world.boot({ owner: 'two' });
    await world.clock.pass(60_000);
    expect(documentOf(turn)).toMatchObject({ state: 'partial', text: 'Two ' });
    const writers = world.channel.showings.map(({ process }) => process.split(' ')[0]);
    expect(writers.slice(writers.indexOf('two')).every((each) => each === 'two')).toBe(true);
    expect(agent.askings).toHaveLength(1);
  });
});

test('a turn that the store cannot read completely is not asked: its reply ends with Retry and is not stored', async () => {
  const agent = open([{ say: ANSWER }]);
  const process = await world.boot({
    wrapInbox: (inbox) => ({
      ...inbox,
      claim: async () => {
        const claim = await inbox.claim();
        return claim && { ...claim, damaged: true };
      },
    }),
  });
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(documentOf(turn)).toMatchObject({ state: 'failed', text: '', retry: true });
  expect(documentOf(turn).notices[0]?.text).toContain('could not read the stored question');
  expect((await process.inbox.find(turn))?.state).toBe('failed');
  expect(await process.finishedReplies.find(turn)).toBeUndefined();
  expect(agent.askings).toHaveLength(0);
});
