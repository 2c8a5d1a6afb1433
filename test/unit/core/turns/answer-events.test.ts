/** Tests the events and records of an agent's answer, and the title of its reply. */

import { afterEach, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { agentName } from '../../../../src/core/ids.ts';
import { BridgeError } from '../../../../src/errors.ts';
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
])('a reply’s title is the first line of its question, at most 80 characters', async (text, title) => {
  const process = await open([{ say: 'Two years.' }]);
  const turn = await ask(process, text);
  await world.clock.pass(5_000);
  expect(seen(world.channel, turn).document.question).toBe(title);
});

test('a title never splits a surrogate pair', async () => {
  const process = await open([{ say: 'Two years.' }]);
  const turn = await ask(process, `${'x'.repeat(78)}😀😀`);
  await world.clock.pass(5_000);
  const { question = '' } = seen(world.channel, turn).document;
  expect([question.isWellFormed(), question.length, question.at(-1)]).toEqual([true, 80, '…']);
});

test('the request is recorded before the agent answers; the first text is recorded once', async () => {
  const process = await open([{ pause: 2_000 }, { say: 'Two' }, { say: ' years.' }, { pause: 2_000 }]);
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(told(turn, 'asking', 'answering')).toEqual([
    { name: 'asking', interface: 'open', session: false, images: 0 },
  ]);
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

test('the account is recorded with its agent before the agent answers', async () => {
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

test('the record of an answer is stored, and reported with its end', async () => {
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

test('a remark is reported, and an empty text starts no answer', async () => {
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

test('an earlier conversation that the store cannot read loses the context and is reported', async () => {
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
  expect(seen(world.channel, turn).document.notices[0]?.text).toContain('answered without it');
});

const down = new BridgeError('store-unavailable', 'disk full');

test('a follow-up is reported as asked in the session, which was reported when the agent named it', async () => {
  const process = await open([{ tell: { type: 'session', session: 's1' } }, { say: 'Two' }]);
  const first = await ask(process, 'one');
  const second = await ask(process, 'two');
  await world.clock.pass(10_000);
  expect(told(first, 'asking', 'session')).toEqual([
    { name: 'asking', interface: 'open', session: false, images: 0 },
    { name: 'session', session: 's1' },
  ]);
  expect(told(second, 'asking')).toEqual([{ name: 'asking', interface: 'open', session: true, images: 0 }]);
  expect(told(first, 'ending')).toEqual([{ name: 'ending', chars: 3 }]);
});

test('a session that the store cannot save is reported as trouble, with a warning under the answer', async () => {
  world = createWorld({
    agents: [
      createScriptedAgent({
        name: 'books',
        script: () => [{ tell: { type: 'session', session: 's1' } }, { say: 'Two' }],
      }),
    ],
  });
  const process = await world.boot({
    wrapKeyed: (keyed) => ({
      ...keyed,
      set: (key, ...rest) => (key.startsWith('[') ? Promise.reject(down) : keyed.set(key, ...rest)),
    }),
  });
  const turn = await ask(process, 'How long?');
  await world.clock.pass(5_000);
  const trouble = { name: 'trouble', code: 'store-unavailable', what: 'session' };
  expect(told(turn, 'trouble')).toEqual([trouble, trouble]);
  expect(seen(world.channel, turn).document.notices).toEqual([
    { tone: 'warning', text: expect.stringContaining('could not be saved') },
  ]);
});

test('a named agent answers even if the store cannot save it for the thread, with a warning', async () => {
  const agents = ['books', 'films'].map((name) =>
    createScriptedAgent({ name, script: () => [{ say: name }] }),
  );
  world = createWorld({ agents });
  const process = await world.boot({
    wrapKeyed: (keyed) => ({
      ...keyed,
      set: (key, ...rest) => (key.startsWith('agent ') ? Promise.reject(down) : keyed.set(key, ...rest)),
    }),
  });
  const turn = await ask(process, 'How long?', { agent: agentName('films') });
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble')).toEqual([{ name: 'trouble', code: 'store-unavailable', what: 'agent' }]);
  expect(seen(world.channel, turn).document).toMatchObject({
    text: 'films',
    notices: [{ tone: 'warning', text: expect.stringContaining('could not be saved') }],
  });
});

test('the number of images is reported before the request', async () => {
  world = createWorld({
    agents: [createScriptedAgent({ name: 'books', script: () => [{ say: 'Two' }], seesImages: true })],
  });
  const png = Uint8Array.from('\x89PNG\r\n\x1a\n', (mark) => mark.charCodeAt(0));
  world.channel.files.set('a', png);
  const files = [{ id: 'a', name: 'a.png', type: 'image/png', bytes: 8 }];
  const turn = await ask(await world.boot(), 'What is it?', { files });
  await world.clock.pass(5_000);
  expect(told(turn, 'images', 'asking')).toEqual([
    { name: 'images', count: 1 },
    { name: 'asking', interface: 'open', session: false, images: 1 },
  ]);
});

test('an answer without any text is reported with the name of its agent', async () => {
  const turn = await ask(await open([]), 'How long?');
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble')).toEqual([
    { name: 'trouble', code: 'platform-empty', cause: expect.stringContaining('"books"') },
  ]);
});

test('an answer that a crash cut off says so and is reported as trouble', async () => {
  const first = await open([{ say: 'Two' }, { pause: 60_000 }]);
  const turn = await ask(first, 'How long?');
  await world.clock.pass(1_000);
  first.kill();
  await world.boot();
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble')).toEqual([
    {
      name: 'trouble',
      code: 'turn-interrupted',
      cause: expect.stringContaining('lost the store, during the answer'),
    },
  ]);
  expect(seen(world.channel, turn).document.notices[0]?.text).toContain('lost its database');
});

test('a question that is given up is reported with the number of its claims', async () => {
  let process = await open([{ silence: true }]);
  const turn = await ask(process, 'How long?');
  for (let kills = 0; kills < 3; kills += 1) {
    await world.clock.pass(1_000);
    process.kill();
    process = await world.boot();
  }
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble')).toEqual([
    { name: 'trouble', code: 'turn-gave-up', cause: expect.stringContaining('claimed 4 times') },
  ]);
});

test('a damaged turn is reported as such', async () => {
  world = createWorld({ agents: [createScriptedAgent({ name: 'books', script: () => [{ say: 'Two' }] })] });
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
  expect(told(turn, 'trouble')).toEqual([
    { name: 'trouble', code: 'turn-damaged', cause: expect.stringContaining('cannot be read') },
  ]);
});

test('an agent with sessions does not get the channel’s history', async () => {
  const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'Two' }] });
  world = createWorld({ agents: [agent] });
  world.channel.lookup = {
    complete: async (message) => message,
    history: async () => [{ question: 'earlier', answer: 'yes' }],
  };
  await ask(await world.boot(), 'How long?');
  await world.clock.pass(5_000);
  expect(agent.askings[0]?.question.history).toEqual([]);
});

test('personal data in the history of a channel is sent with consent, and removed after the prompt', async () => {
  const prompt = 'Your question seems to hold personal data. Please confirm.';
  const agent = createScriptedAgent({
    name: 'books',
    memory: 'history',
    canSkipHint: true,
    script: ({ text, skipHint }) => [{ say: text.includes('@') && !skipHint ? prompt : 'Done.' }],
  });
  world = createWorld({ agents: [agent] });
  world.channel.lookup = {
    complete: async (message) => message,
    history: async () => [{ question: 'Mail bo@example.org', answer: 'yes' }],
  };
  const process = await world.boot();
  for (const text of ['Mail ada@example.org', 'Send it anyway', 'And tomorrow?']) {
    await ask(process, text);
    await world.clock.pass(5_000);
  }
  expect(agent.askings.map(({ question }) => question.history[0]?.question)).toEqual([
    'Mail bo@example.org',
    'Mail bo@example.org',
    'Mail [removed]',
  ]);
});
