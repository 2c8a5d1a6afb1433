import { afterEach, describe, expect, test } from 'vitest';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import type { Checkpoint, Inbox } from '../../../../src/core/stores/inbox.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { thread } from '../../../fakes/samples.ts';
import {
  type Act,
  createScriptedAgent,
  growing,
  type ScriptedAgentOptions,
} from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

const ANSWER = 'The warranty runs for two years from the day of purchase.';
let world: World;
afterEach(() => world.close());

function open(
  script: readonly Act[],
  over: Partial<ScriptedAgentOptions> = {},
  options: Partial<WorldOptions> = {},
) {
  const agent = createScriptedAgent({ name: 'books', script: () => script, ...over });
  world = createWorld({ agents: [agent], ...options });
  return agent;
}
const stateOf = (turn: TurnId) => seen(world.channel, turn).document.state;
const textOf = (turn: TurnId) => seen(world.channel, turn).document.text;

describe('an answer', () => {
  test('shows that the agent thinks, grows in place, and settles', async () => {
    open([{ pause: 500 }, ...growing(ANSWER, 5, 100)]);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(400);
    expect(stateOf(turn)).toBe('thinking');
    await world.clock.pass(600);
    expect(stateOf(turn)).toBe('writing');
    expect(ANSWER.startsWith(textOf(turn))).toBe(true);
    await world.clock.pass(5_000);
    expect(seen(world.channel, turn).document).toMatchObject({
      state: 'done',
      text: ANSWER,
      retry: false,
      notices: [],
    });
    expect((await process.inbox.find(turn))?.state).toBe('answered');
    expect(await process.inbox.counts()).toEqual({ waiting: 0, running: 0 });
    const lengths = world.channel.showings.map(({ document }) => document.text.length);
    expect(lengths).toEqual(lengths.toSorted((one, other) => one - other));
    expect(lengths.length).toBeGreaterThan(8);
  });

  test('in a slow channel is reduced to its newest states and ends on the last one', async () => {
    open(growing(ANSWER, 1, 20), {}, { limits: { edit: { gapMs: 400 } } });
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    expect(textOf(turn)).toBe(ANSWER);
    expect(world.channel.showings.length).toBeLessThan(8);
  });

  test('is on disk before it is shown, and its phase before its first text', async () => {
    open(growing(ANSWER, 5, 100));
    const disk = { text: '', phase: 'new' };
    const keep = ({ text, phase }: Checkpoint) => {
      if (phase !== undefined) disk.phase = phase;
      if (text !== undefined) disk.text = disk.text.slice(0, text.at) + text.text;
    };
    const shown: { text: string; disk: string; phase: string }[] = [];
    world.channel.fault = ({ document }) => {
      shown.push({ text: document.text, disk: disk.text, phase: disk.phase });
      return undefined;
    };
    const wrapInbox = (inbox: Inbox): Inbox => ({
      ...copyOf(inbox),
      checkpoint: async (claim, checkpoint) => {
        const answer = await inbox.checkpoint(claim, checkpoint);
        keep(checkpoint);
        return answer;
      },
    });
    await ask(await world.boot({ wrapInbox }), 'How long?');
    await world.clock.pass(5_000);
    expect(shown.at(-1)?.text).toBe(ANSWER);
    for (const call of shown) expect(call.disk.startsWith(call.text)).toBe(true);
    const first = shown.find(({ text }) => text !== '');
    expect(first?.phase).toBe('answering');
  });

  test('without any text is a named failure with its reference and Retry', async () => {
    open([{ pause: 100 }]);
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    const { state, retry, notices } = seen(world.channel, turn).document;
    expect({ state, retry }).toEqual({ state: 'failed', retry: true });
    expect(notices[0]?.text).toBe(`The agent returned no text. Please try again. (Reference ${turn})`);
  });

  test('that consists of an image alone is valid', async () => {
    const media = { id: 'm', kind: 'image', name: 'Plan', ref: { kind: 'file-id', id: 'f' } } as const;
    open([{ tell: { type: 'media', media } }]);
    const turn = await ask(await world.boot(), 'Draw!');
    await world.clock.pass(2_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', media: [media] });
  });
});

describe('when the agent fails', () => {
  const failure = new BridgeError('platform-busy', 'HTTP 429 from the platform');

  test('before any text, the reply is failed, with a kind sentence and Retry', async () => {
    open([{ pause: 200 }, { fail: failure }]);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(2_000);
    const { state, retry, notices } = seen(world.channel, turn).document;
    expect({ state, retry }).toEqual({ state: 'failed', retry: true });
    expect(notices[0]?.text).toContain('very busy');
    expect(notices[0]?.text).not.toContain('429');
    expect((await process.inbox.find(turn))?.state).toBe('failed');
  });

  test('and asking again does not help, Retry is not offered', async () => {
    open([{ fail: new BridgeError('platform-auth', 'bad key') }]);
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'failed', retry: false });
  });

  test('after some text, the text so far is kept and marked, with Retry; the question is not asked again', async () => {
    const agent = open([
      { say: 'Two years, ' },
      { pause: 300 },
      { fail: new BridgeError('platform-interrupted', 'reset') },
    ]);
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(60_000);
    const { state, text, retry, notices } = seen(world.channel, turn).document;
    expect({ state, text, retry }).toEqual({ state: 'partial', text: 'Two years, ', retry: true });
    expect(notices[0]?.text).toContain('connection to the agent broke');
    expect((await process.inbox.find(turn))?.state).toBe('partial');
    expect(agent.askings).toHaveLength(1);
  });

  test('with an unknown error, the reply is failed as well', async () => {
    const broken = createScriptedAgent({
      name: 'books',
      script: () => {
        throw new TypeError('x is undefined');
      },
    });
    world = createWorld({ agents: [broken] });
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    expect(seen(world.channel, turn).document.notices[0]?.text).toContain(
      'Something went wrong in the bridge',
    );
  });
});

describe('the memory of a thread', () => {
  test('stores the session immediately, and asks the follow-up in it', async () => {
    const agent = open([{ tell: { type: 'session', session: 's1' } }, { pause: 60_000 }, { say: ANSWER }]);
    const process = await world.boot();
    await ask(process, 'one');
    await world.clock.pass(1_000);
    const key = { thread: thread(), agent: agentName('books') };
    expect(await process.sessions.find(key)).toEqual({ session: 's1', history: [] });
    await ask(process, 'two');
    await world.clock.pass(70_000);
    expect(agent.askings.map(({ question }) => question.session)).toEqual([undefined, 's1']);
  });

  test('separates the sessions of threads', async () => {
    const agent = open([{ tell: { type: 'session', session: 's1' } }, { say: ANSWER }]);
    const process = await world.boot();
    await ask(process, 'one');
    await world.clock.pass(2_000);
    await ask(process, 'two', { lane: 't2' });
    await world.clock.pass(2_000);
    expect(agent.askings.map(({ question }) => question.session)).toEqual([undefined, undefined]);
  });

  test('gives agents without sessions the earlier questions and answers', async () => {
    const agent = open([{ say: ANSWER }], { memory: 'history' });
    const process = await world.boot();
    for (const text of ['one', 'two']) await ask(process, text);
    await world.clock.pass(5_000);
    expect(agent.askings.map(({ question }) => question.history)).toEqual([
      [],
      [{ question: 'one', answer: ANSWER, reply: 't-1' }],
    ]);
  });

  test('shows under the answer that the platform lost the context', async () => {
    open([{ tell: { type: 'remark', remark: 'context-lost' } }, { say: ANSWER }]);
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    expect(seen(world.channel, turn).document.notices[0]?.text).toContain('answered without it');
  });
});

describe('when the store fails', () => {
  const down = new BridgeError('store-unavailable', 'disk full');
  /** Wraps the stores so that their writing methods reject while `broken.now` is true. */
  function breakable() {
    const broken = { now: false };
    const guard = <Part extends object>(part: Part, methods: readonly (keyof Part)[]): Part =>
      new Proxy(part, {
        get(target, key, receiver) {
          if (broken.now && methods.some((each) => each === key)) return () => Promise.reject(down);
          return Reflect.get(target, key, receiver);
        },
      });
    return {
      broken,
      boot: () =>
        world.boot({
          wrapInbox: (inbox) =>
            guard(inbox, ['add', 'claim', 'renew', 'checkpoint', 'settle', 'expire', 'release']),
          wrapKeyed: (keyed) => guard(keyed, ['get', 'set', 'delete']),
        }),
    };
  }

  test('a question is refused and not acknowledged', async () => {
    open([{ say: ANSWER }]);
    const { broken, boot } = breakable();
    const process = await boot();
    broken.now = true;
    await expect(process.intake(asking('How long?'))).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  test('during an answer, the answer continues and ends', async () => {
    open([
      { say: 'Two ' },
      { pause: 2_000 },
      { tell: { type: 'session', session: 's1' } },
      { say: 'years' },
      { pause: 4_000 },
      { say: '.' },
    ]);
    const { broken, boot } = breakable();
    const process = await boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(1_000);
    broken.now = true;
    await world.clock.pass(3_000);
    expect(textOf(turn)).toBe('Two years');
    broken.now = false;
    await world.clock.pass(10_000);
    expect(seen(world.channel, turn).document).toMatchObject({
      state: 'done',
      text: 'Two years.',
      notices: [],
    });
    expect((await process.inbox.find(turn))?.state).toBe('answered');
    const { thread } = asking('How long?').message;
    const key = { thread, agent: agentName('books') };
    expect(await process.sessions.find(key)).toMatchObject({ session: 's1' });
  });

  test('until the answer ends, a warning says that the conversation could not be saved', async () => {
    open([{ pause: 1_000 }, { tell: { type: 'session', session: 's1' } }, { say: ANSWER }]);
    const { broken, boot } = breakable();
    const turn = await ask(await boot(), 'How long?');
    await world.clock.pass(500);
    broken.now = true;
    await world.clock.pass(10_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: ANSWER });
    expect(seen(world.channel, turn).document.notices.map(({ text }) => text)).toEqual([
      expect.stringContaining('could not be saved'),
    ]);
  });

  test('unrecorded data is recorded as soon as possible', async () => {
    const agent = open([
      { pause: 2_000 },
      { say: 'Two ' },
      { pause: 2_000 },
      { say: 'years' },
      { pause: 1_000 },
      { say: '.' },
      { silence: true },
    ]);
    const { broken, boot } = breakable();
    const first = await boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(1_000);
    broken.now = true;
    await world.clock.pass(3_500);
    broken.now = false;
    await world.clock.pass(2_000);
    expect(textOf(turn)).toBe('Two years.');
    first.kill();
    await world.boot();
    await world.clock.pass(2_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'partial', text: 'Two years.' });
    expect(agent.askings).toHaveLength(1);
  });

  test('at a claim, the worker tries the claim again', async () => {
    open([{ say: ANSWER }]);
    const { broken, boot } = breakable();
    const process = await boot();
    broken.now = true;
    await world.clock.pass(5_000);
    expect(world.troubles.length).toBeGreaterThan(2);
    expect(world.troubles.length).toBeLessThan(20);
    broken.now = false;
    const turn = await ask(process, 'How long?');
    await world.clock.pass(5_000);
    expect(stateOf(turn)).toBe('done');
  });

  test('at the end, the end is recorded once possible, and the lane continues', async () => {
    const agent = open([{ pause: 1_000 }, { say: ANSWER }]);
    const { broken, boot } = breakable();
    const process = await boot();
    const turn = await ask(process, 'one');
    const next = await ask(process, 'two');
    await world.clock.pass(900);
    broken.now = true;
    await world.clock.pass(4_000);
    expect(stateOf(turn)).toBe('done');
    broken.now = false;
    await world.clock.pass(30_000);
    expect((await process.inbox.find(turn))?.state).toBe('answered');
    expect(stateOf(next)).toBe('done');
    expect(agent.askings).toHaveLength(2);
  });
});

function copyOf(inbox: Inbox): Inbox {
  const { add, claim, renew, checkpoint, release, settle, interrupt, find, current } = inbox;
  const { takeUnannounced, counts, expire, prune, onSignal, close } = inbox;
  const {
    isShared,
    holdsLease,
    runningIn,
    supersede,
    instead,
    withdraw,
    ofMessage,
    newestOfReply,
    screensIn,
    postpone,
    resume,
    expirePostponed,
    handOver,
  } = inbox;
  return {
    ...{ add, claim, renew, checkpoint, release, settle, interrupt, find, current },
    ...{ takeUnannounced, counts, expire, prune, onSignal, close },
    ...{
      isShared,
      holdsLease,
      runningIn,
      supersede,
      instead,
      withdraw,
      ofMessage,
      newestOfReply,
      screensIn,
      postpone,
      resume,
      expirePostponed,
      handOver,
    },
  };
}
