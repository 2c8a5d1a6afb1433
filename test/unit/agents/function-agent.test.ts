/** What the bridge promises for every agent, with agents that are functions. */

import { afterEach, describe, expect, test } from 'vitest';
import {
  type AgentContext,
  type AgentFunction,
  type AgentQuestion,
  functionGateway,
} from '../../../src/agents/function-agent.ts';
import { OWN } from '../../../src/core/agents/agent.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { agentName, type TurnId } from '../../../src/core/ids.ts';
import { PNG } from '../../fakes/pixel.ts';
import { message, person, thread } from '../../fakes/samples.ts';
import type { ScriptedAgent } from '../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, seen, type World } from '../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

/** Returns an agent that the world runs. `make` gets the clock of its process. */
function agentOf(name: string, make: (clock: Clock) => AgentFunction): ScriptedAgent {
  return {
    askings: [],
    uploads: [],
    agent: ({ clock }) => ({
      name: agentName(name),
      description: `Answers as ${name}.`,
      interface: 'function',
      oneAccount: true,
      platform: OWN,
      gateway: functionGateway(name, { clock }, make(clock)),
    }),
  };
}

const open = (...agents: readonly ScriptedAgent[]): void => {
  world = createWorld({ agents });
};
const documentOf = (turn: TurnId) => seen(world.channel, turn).document;

describe('an agent that is a function', () => {
  test('shows its text, steps, sources, pictures, files and suggestions', async () => {
    open(
      agentOf(
        'mine',
        () =>
          async function* () {
            yield { step: { name: 'Search', state: 'running' } };
            yield { step: { name: 'Search', detail: '2 found' } };
            yield 'Ninety days [1], ';
            yield { text: 'as a rule [2].' };
            yield { source: { title: 'Policy', url: 'https://example.org/policy', text: 'Ninety days.' } };
            yield { source: { title: 'Handbook' } };
            yield { source: { title: 'Policy', url: 'https://example.org/policy', text: 'No exceptions.' } };
            yield { media: { name: 'Chart', bytes: PNG } };
            yield { media: { name: 'policy.pdf', url: 'https://example.org/policy.pdf' } };
            yield { suggestion: 'And backups?' };
          },
      ),
    );
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(5_000);
    expect(documentOf(turn)).toMatchObject({
      state: 'done',
      text: 'Ninety days [1], as a rule [2].',
      steps: [{ name: 'Search', detail: '2 found', state: 'done' }],
      sources: [
        {
          title: 'Policy',
          mark: 1,
          link: 'https://example.org/policy',
          fragments: [{ text: 'Ninety days.' }, { text: 'No exceptions.' }],
        },
        { title: 'Handbook', mark: 2, fragments: [] },
      ],
      media: [
        { kind: 'image', name: 'Chart' },
        { kind: 'file', name: 'policy.pdf', link: 'https://example.org/policy.pdf' },
      ],
      suggestions: ['And backups?'],
    });
  });

  test('knows who asks and where, and the earlier exchanges, once each after Regenerate', async () => {
    const asked: (AgentQuestion & AgentContext)[] = [];
    open(
      agentOf(
        'mine',
        () =>
          async function* (question, context) {
            asked.push({ ...question, ...context });
            yield `Answer ${asked.length}.`;
          },
      ),
    );
    const process = await world.boot();
    const first = await ask(process, 'one');
    await world.clock.pass(3_000);
    await again(process, first, 'regenerate');
    await world.clock.pass(3_000);
    await ask(process, 'two');
    await world.clock.pass(3_000);
    expect(asked[0]).toMatchObject({ text: 'one', asker: { name: 'Ada' }, thread: { room: 'general' } });
    expect(asked.map(({ history }) => history)).toEqual([[], [], [{ question: 'one', answer: 'Answer 2.' }]]);
  });

  test('gets its own session in place of the history, also after a restart', async () => {
    const asked: unknown[] = [];
    const agent = agentOf(
      'mine',
      () =>
        async function* ({ history }, { session }) {
          asked.push([session, history.length]);
          if (asked.length === 2) yield { session: 's1' };
          yield 'Yes.';
        },
    );
    open(agent);
    const process = await world.boot();
    for (const text of ['one', 'two']) {
      await ask(process, text);
      await world.clock.pass(3_000);
    }
    process.kill();
    await ask(await world.boot(), 'three');
    await world.clock.pass(30_000);
    expect(asked).toEqual([
      [undefined, 0],
      [undefined, 1],
      ['s1', 0],
    ]);
  });

  test('is stopped at once, although it does not listen', async () => {
    let isAborted = false;
    open(
      agentOf(
        'mine',
        () =>
          async function* (_, { signal }) {
            signal.addEventListener('abort', () => {
              isAborted = true;
            });
            yield 'So far. ';
            await new Promise(() => undefined);
          },
      ),
    );
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(1_000);
    await process.intake({ kind: 'stop', thread: thread(), turn, by: person() });
    await world.clock.pass(2_000);
    expect(documentOf(turn)).toMatchObject({ state: 'stopped', text: 'So far. ' });
    expect(isAborted).toBe(true);
  });

  test('that throws after it was stopped changes nothing', async () => {
    open(
      agentOf(
        'mine',
        (clock) =>
          async function* () {
            yield 'So far. ';
            await clock.wait(5_000);
            throw new Error('too late');
          },
      ),
    );
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(1_000);
    await process.intake({ kind: 'stop', thread: thread(), turn, by: person() });
    await world.clock.pass(10_000);
    expect(documentOf(turn)).toMatchObject({ state: 'stopped', text: 'So far. ' });
    expect(world.events.filter(({ name }) => name === 'trouble')).toEqual([]);
  });

  test('is not asked again if the process was killed while it answered', async () => {
    let asked = 0;
    open(
      agentOf(
        'mine',
        (clock) =>
          async function* () {
            asked += 1;
            yield 'So far. ';
            await clock.wait(60_000);
            yield 'The rest.';
          },
      ),
    );
    const first = await world.boot();
    const turn = await ask(first, 'How long?');
    await world.clock.pass(5_000);
    first.kill();
    await world.boot();
    await world.clock.pass(90_000);
    expect(asked).toBe(1);
    expect(documentOf(turn)).toMatchObject({ state: 'partial', text: 'So far. ', retry: true });
  });

  test('answers the questions of a thread one after another', async () => {
    const running: string[] = [];
    open(
      agentOf(
        'mine',
        (clock) =>
          async function* ({ text }) {
            running.push(`begin ${text}`);
            await clock.wait(2_000);
            running.push(`end ${text}`);
            yield text;
          },
      ),
    );
    const process = await world.boot();
    for (const text of ['one', 'two']) await ask(process, text);
    await world.clock.pass(10_000);
    expect(running).toEqual(['begin one', 'end one', 'begin two', 'end two']);
  });
});

const again = (process: Process, of: TurnId, kind: 'retry' | 'regenerate') =>
  process.intake({ kind: 'ask', origin: { kind, of, by: 'ada' }, message: message({ text: '' }) });

/** Code without types may be anything, so the casts are those of a caller in JavaScript. */
const bad: readonly (readonly [string, AgentFunction, RegExp])[] = [
  [
    'throws at once',
    () => {
      throw new Error('no database.');
    },
    /^The agent "mine" failed: no database\. Correct its function\.$/,
  ],
  [
    'throws in the middle',
    async function* () {
      yield 'So far. ';
      throw new TypeError('x is\nundefined');
    },
    /^The agent "mine" failed: x is undefined\. Correct its function\.$/,
  ],
  [
    'returns a promise that rejects',
    (async () => Promise.reject(new Error('late'))) as unknown as AgentFunction,
    /^The function of the agent "mine" returned no parts\. Write it as `async function\*`, and yield the answer\.$/,
  ],
  [
    'yields a number',
    async function* () {
      yield 'So far. ';
      yield 42 as unknown as string;
    },
    /^The function of the agent "mine" yielded number, which is no part of an answer\. Yield a text, or one of \{ text \}/,
  ],
  [
    'yields an unknown part',
    async function* () {
      yield { txt: 'secret words' } as unknown as string;
    },
    /^The function of the agent "mine" yielded an object with txt, which is no part/,
  ],
  [
    'yields a source with an address that runs code',
    async function* () {
      yield { source: { title: 'Policy', url: 'javascript:alert(1)' } };
    },
    /yielded an object with source, which is no part/,
  ],
  [
    'yields a picture that is none',
    async function* () {
      yield { media: { name: 'Chart', bytes: Buffer.from('<svg onload=alert(1)>') } };
    },
    /yielded a picture that cannot be shown\. The image is not a PNG, JPEG, GIF or WebP image\.$/,
  ],
  [
    'yields nothing and never returns',
    async function* () {
      await new Promise(() => undefined);
      yield '';
    },
    /^The agent "mine" sent nothing for 120 s\./,
  ],
];

describe('a function that', () => {
  test.each(bad)('%s ends its answer, and one line says why', async (_, answer, line) => {
    const good = agentOf(
      'good',
      () =>
        async function* () {
          yield 'Still here.';
        },
    );
    open(
      agentOf('mine', () => answer),
      good,
    );
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(200_000);
    const { state, text } = documentOf(turn);
    expect([state, text]).toEqual(text === '' ? ['failed', ''] : ['partial', 'So far. ']);
    const causes = world.events.filter(({ name }) => name === 'trouble').map(({ detail }) => detail.cause);
    expect(causes).toEqual([expect.stringMatching(line)]);
    expect(String(causes[0])).not.toMatch(/secret words|\n/);
    const next = await ask(process, 'And then?', { agent: agentName('good') });
    await world.clock.pass(5_000);
    expect(documentOf(next)).toMatchObject({ state: 'done', text: 'Still here.' });
  });
});
