/** Tests that acting on an answer needs the right to ask its agent, by the rules in force at that moment (attack S26). */

import { afterEach, expect, test } from 'vitest';
import { compileRules } from '../../../../src/core/access/compile.ts';
import type { Rule } from '../../../../src/core/access/rules.ts';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import { laneOf } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { createMemoryChannel } from '../../../fakes/memory-channel.ts';
import { message, person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, seen, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

const bob = person({ id: 'bob' });
const REFUSED = { kind: 'refused', tellUser: words.mayNotPress('books') };
const line = (rule: Partial<Rule>): Rule => ({
  ...{ effect: 'allow', actions: ['ask'], who: ['member'], place: 'rules.yaml:2' },
  ...rule,
});

/** Asks the agent `books` in a room. `bar` reloads the rules, so that the person may ask `films` only. */
async function asked(script: readonly Act[], channel = createMemoryChannel()) {
  let denied: readonly Rule[] = [];
  world = createWorld({
    agents: ['books', 'films'].map((name) => createScriptedAgent({ name, script: () => script })),
    channel,
    rules: () => compileRules({ rules: [...denied, line({})], quotas: [], groups: new Map() }),
  });
  const process = await world.boot();
  const turn = await ask(process, 'How long?');
  await world.clock.pass(5_000);
  const bar = (id: string) => {
    const who = [`person:${thread().channel}/${id}`];
    denied = [line({ effect: 'deny', who, agents: ['books'], place: 'rules.yaml:1' })];
  };
  const refusals = async () => {
    const found = await process.audit.page({ from: 0, to: Number.MAX_SAFE_INTEGER }, 100);
    return found.filter(({ outcome }) => outcome === 'refused');
  };
  const press = (kind: 'retry' | 'regenerate', of: TurnId, key = 'k') =>
    process.intake({
      kind: 'ask',
      origin: { kind, of, by: 'bob', key },
      message: message({ id: 'press', text: '', sender: bob }),
    });
  return { process, turn, bar, refusals, press };
}
const RUNNING = [{ say: 'Two' }, { pause: 60_000 }] as const;
const ENDED = [{ say: 'Two years.' }] as const;

test.each([
  ['bob'],
  ['ada'],
])('a typed stop by %s, whom new rules bar from the agent, ends nothing', async (id) => {
  const { process, turn, bar, refusals } = await asked(RUNNING);
  bar(id);
  for (const text of ['stop', '/Stop', 'instead'])
    expect(await process.intake(asking(text, { id: text, sender: person({ id }) }))).toEqual(REFUSED);
  expect((await process.inbox.find(turn))?.state).toBe('running');
  expect(await refusals()).toMatchObject(
    [1, 2, 3].map(() => ({
      ...{ action: 'ask', person: id, turn, agent: 'books', rule: 'rules.yaml:1' },
    })),
  );
});

test('*Ask this instead* needs the right to the agent of the running answer, besides that of the waiting question', async () => {
  const { process, bar } = await asked(RUNNING);
  await process.intake(asking('Behind', { agent: agentName('films'), id: 'm2' }));
  bar('bob');
  const pressed = { kind: 'instead', thread: thread(), by: bob } as const;
  const own = await process.intake(asking('Mine', { id: 'm3', sender: bob, agent: agentName('films') }));
  const turn = 'turn' in own ? own.turn : undefined;
  expect(turn && (await process.intake({ ...pressed, turn }))).toEqual(REFUSED);
});

test('the sender of a typed stop is looked up, because the event may not say who they are', async () => {
  const channel = createMemoryChannel();
  channel.lookup = {
    complete: async (given) => given,
    sender: async ({ sender }) => ({ ...sender, standing: 'guest' }),
  };
  const { process, turn } = await asked(RUNNING, channel);
  const refused = { kind: 'refused', tellUser: words.guests };
  expect(await process.intake(asking('stop', { id: 'm2', sender: bob }))).toEqual(refused);
  expect((await process.inbox.find(turn))?.state).toBe('running');
});

test.each([
  ['the asker', person(), 'stopped'],
  ['another person', bob, 'running'],
] as const)('while the channel does not say who sends it, a typed stop ends only one’s own answer: %s', async (_, sender, state) => {
  const channel = createMemoryChannel();
  channel.lookup = {
    complete: async (given) => given,
    sender: () => Promise.reject(new BridgeError('access-denied', 'Slack does not answer.')),
  };
  const { process, turn } = await asked(RUNNING, channel);
  await process.intake(asking('stop', { id: 'm2', sender }));
  await world.clock.pass(1_000);
  expect((await process.inbox.find(turn))?.state).toBe(state);
});

test.each([
  'stop',
  'instead',
])('a typed %s ends no answer that began while its sender was looked up', async (text) => {
  const channel = createMemoryChannel();
  const known = Promise.withResolvers<void>();
  channel.lookup = {
    complete: async (given) => given,
    sender: ({ sender }) => known.promise.then(() => sender),
  };
  const { process, turn } = await asked(RUNNING, channel);
  await process.intake(asking('Of bob', { id: 'm2', sender: bob }));
  await process.intake(asking('Of ada', { id: 'm3' }));
  const typed = process.intake(asking(text, { id: 'm4' }));
  await process.intake({ kind: 'stop', thread: thread(), by: person(), turn });
  await world.clock.pass(2_000);
  const ofBob = await process.inbox.current(laneOf(thread()));
  expect(ofBob?.message.text).toBe('Of bob');
  known.resolve();
  await typed;
  await world.clock.pass(1_000);
  expect(ofBob && (await process.inbox.find(ofBob.id))?.state).toBe('running');
});

test('a typed `sources` is refused before it becomes a question', async () => {
  const { process, bar } = await asked(ENDED);
  bar('bob');
  expect(await process.intake(asking('sources', { id: 'm2', sender: bob }))).toEqual(REFUSED);
  expect(await process.intake(asking('sources', { id: 'm3' }))).toMatchObject({ kind: 'kept' });
});

test.each(['retry', 'regenerate'] as const)('%s is refused, and the answer stays', async (kind) => {
  const { turn, bar, press } = await asked(ENDED);
  bar('bob');
  expect(await press(kind, turn)).toEqual(REFUSED);
  await world.clock.pass(5_000);
  expect(seen(world.channel, turn).document.text).toContain('Two years.');
});

test.each([
  'retry',
  'regenerate',
] as const)('%s that waits while new rules bar the person leaves the answer as it was', async (kind) => {
  const script: Act[] = [...ENDED];
  const { process, turn, bar, press, refusals } = await asked(script);
  script.push({ pause: 20_000 });
  await ask(process, 'And how wide?');
  await world.clock.pass(1_000);
  const kept = await press(kind, turn);
  expect(kept).toMatchObject({ kind: 'kept' });
  bar('bob');
  await world.clock.pass(60_000);
  const repeated = 'turn' in kept ? await process.inbox.find(kept.turn) : undefined;
  expect(repeated?.state).toBe('failed');
  const [shown, ...more] = world.channel.messages();
  expect([shown?.document.text, more.length]).toEqual([expect.stringContaining('Two years.'), 1]);
  expect(JSON.stringify(shown)).not.toContain('not allowed');
  expect(await process.finishedReplies.editions(turn)).toEqual([turn]);
  expect((await refusals()).map(({ person: by }) => by)).toEqual(['bob']);
});
