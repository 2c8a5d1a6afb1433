/** What is told and recorded while an agent answers, and how a reply is titled. */

import { afterEach, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

async function open(script: readonly Act[], options: Partial<WorldOptions> = {}): Promise<Process> {
  world = createWorld({ agents: [createScriptedAgent({ name: 'books', script: () => script })], ...options });
  return world.boot();
}
const told = (turn: TurnId, ...names: readonly string[]): readonly Readonly<Record<string, unknown>>[] =>
  world.events
    .filter((event) => event.turn === turn && names.includes(event.name))
    .map(({ name, detail }) => ({ name, ...detail }));

test.each([
  ['  How long?\nIn years, please.  ', 'How long?'],
  ['x'.repeat(80), 'x'.repeat(80)],
  ['x'.repeat(81), `${'x'.repeat(79)}…`],
])('a reply is titled by the first line of its question, of 80 characters at most', async (text, title) => {
  const process = await open([{ say: 'Two years.' }]);
  const turn = await ask(process, text);
  await world.clock.pass(5_000);
  expect(seen(world.channel, turn).document.question).toBe(title);
});

test('a title is not cut inside a pair', async () => {
  const process = await open([{ say: 'Two years.' }]);
  const turn = await ask(process, `${'x'.repeat(78)}😀😀`);
  await world.clock.pass(5_000);
  const { question = '' } = seen(world.channel, turn).document;
  expect([question.isWellFormed(), question.length, question.at(-1)]).toEqual([true, 80, '…']);
});

test('an asking is told and recorded before the agent answers; the first text once', async () => {
  const process = await open([{ pause: 2_000 }, { say: 'Two' }, { say: ' years.' }, { pause: 2_000 }]);
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(told(turn, 'asking', 'answering')).toEqual([{ name: 'asking', session: false, images: 0 }]);
  const asking = await process.inbox.find(turn);
  expect(asking).toMatchObject({ phase: 'asking', agent: 'books' });
  expect(asking).not.toHaveProperty('account');
  await world.clock.pass(2_000);
  expect(await process.inbox.find(turn)).toMatchObject({ phase: 'answering' });
  await world.clock.pass(5_000);
  expect(told(turn, 'asking', 'answering', 'images').map(({ name }) => name)).toEqual([
    'asking',
    'answering',
  ]);
});

test('an account is recorded with its agent before the agent answers', async () => {
  const process = await open([{ pause: 5_000 }, { say: 'Two' }], { room: { account: 'room@p' } });
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(told(turn, 'routed')).toEqual([{ name: 'routed', agent: 'books', account: 'room@p' }]);
  expect(await process.inbox.find(turn)).toMatchObject({
    phase: 'asking',
    agent: 'books',
    account: 'room@p',
  });
});

test('the record of an answer is kept, and told with its end', async () => {
  const process = await open([
    { tell: { type: 'record', chatRecord: 'r1' } },
    { say: 'Two' },
    { pause: 3_000 },
  ]);
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_500);
  expect(await process.inbox.find(turn)).toMatchObject({ chatRecord: 'r1', phase: 'answering' });
  await world.clock.pass(10_000);
  expect(told(turn, 'ending')).toEqual([{ name: 'ending', chars: 3, chatRecord: 'r1' }]);
});

test('a remark is told, and an empty text begins no answer', async () => {
  const process = await open([
    { tell: { type: 'text', at: 0, text: '' } },
    { tell: { type: 'remark', remark: 'answer-cut' } },
    { pause: 2_000 },
    { say: 'Two' },
  ]);
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(told(turn, 'answering', 'remark')).toEqual([{ name: 'remark', remark: 'answer-cut' }]);
  expect((await process.inbox.find(turn))?.phase).toBe('asking');
});

test('an earlier conversation that the store cannot tell costs the context, and is told', async () => {
  world = createWorld({ agents: [createScriptedAgent({ name: 'books', script: () => [{ say: 'Two' }] })] });
  const process = await world.boot({
    wrapKeyed: (keyed) => ({
      ...keyed,
      get: (key) => (key.startsWith('[') ? Promise.reject(new Error('disk')) : keyed.get(key)),
    }),
  });
  const turn = await ask(process, 'How long?');
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble')[0]).toEqual({ name: 'trouble', code: expect.any(String), what: 'session' });
  expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: 'Two' });
  expect(seen(world.channel, turn).document.notices[0]?.text).toContain('starts afresh');
});
