import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { Message } from '../../../../src/core/message.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { message, person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, type World, type WorldOptions } from '../../../fakes/world.ts';

const HOUR_MS = 3_600_000;
let world: World;
afterEach(() => world.close());

const numbered = (_text: string, nth: number): readonly Act[] => [{ pause: 500 }, { say: `Answer ${nth}.` }];

function open(script = numbered, options: Partial<WorldOptions> = {}) {
  const agent = createScriptedAgent({ name: 'books', script: ({ text }, nth) => script(text, nth) });
  world = createWorld({ agents: [agent], ...options });
  return agent;
}
/**
 * A press in a channel that cannot read the question again. The message of such a press has only the person and the
 * thread.
 */
const nameless = (over: Partial<Message> = {}) =>
  message({ text: '', sender: person({ id: 'bo' }), ...over });
const again = (process: Process, of: TurnId, kind: 'retry' | 'regenerate', over: Partial<Message> = {}) =>
  process.intake({ kind: 'ask', origin: { kind, of, by: 'bo' }, message: nameless(over) });
let presses = 0;
const show = (process: Process, turn: TurnId, edition: number, key = `press ${++presses}`) =>
  process.intake({ kind: 'show', thread: thread(), turn, edition, by: person(), key });
async function regenerated(process: Process, of: TurnId): Promise<TurnId> {
  const kept = await again(process, of, 'regenerate');
  if (kept.kind !== 'kept') throw new Error(JSON.stringify(kept));
  await world.clock.pass(3_000);
  return kept.turn;
}
const shown = () => world.channel.messages().map(({ document }) => document);

describe('Regenerate', () => {
  test('asks the stored question again and shows one more version in the same message', async () => {
    const agent = open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    expect(shown()[0]?.editions).toBeUndefined();
    const second = await regenerated(process, first);
    expect(shown()).toMatchObject([
      { turn: second, state: 'done', text: 'Answer 2.', editions: { shown: 2, count: 2 } },
    ]);
    await regenerated(process, second);
    expect(shown()).toMatchObject([{ text: 'Answer 3.', editions: { shown: 3, count: 3 } }]);
    expect(agent.askings.map(({ question }) => question.text)).toEqual(Array(3).fill('How long?'));
  });

  test('asks the agent that answered, even if the thread has another one by now', async () => {
    const other = createScriptedAgent({ name: 'films', script: () => [{ say: 'Films.' }] });
    const books = createScriptedAgent({ name: 'books', script: () => [{ say: 'Books.' }] });
    world = createWorld({ agents: [books, other] });
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await ask(process, 'use films');
    await world.clock.pass(3_000);
    await regenerated(process, first);
    expect([books.askings.length, other.askings.length]).toEqual([2, 0]);
  });

  test('pressed twice, or while the new version is written, makes one version', async () => {
    const agent = open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    const kept = await Promise.all([
      again(process, first, 'regenerate'),
      again(process, first, 'regenerate'),
    ]);
    expect(kept.map(({ kind }) => kind)).toEqual(['kept', 'duplicate']);
    await world.clock.pass(300);
    expect((await again(process, first, 'regenerate')).kind).toBe('duplicate');
    await world.clock.pass(3_000);
    expect(agent.askings).toHaveLength(2);
  });

  test('that failed can be retried in its place', async () => {
    const broken = new BridgeError('platform-server', 'broken');
    open((text, nth) => (nth === 2 ? [{ fail: broken }] : numbered(text, nth)));
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    const failed = await regenerated(process, first);
    expect(shown()).toMatchObject([{ state: 'failed', retry: true, editions: { shown: 2, count: 2 } }]);
    expect((await again(process, failed, 'retry')).kind).toBe('kept');
    await world.clock.pass(3_000);
    expect(shown()).toMatchObject([{ text: 'Answer 3.', editions: { shown: 2, count: 2 } }]);
  });

  test('after a day says that the question has expired, unless the channel provides it', async () => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    world.clock.jump(24 * HOUR_MS);
    expect(await again(process, first, 'regenerate')).toMatchObject({
      kind: 'refused',
      tellUser: expect.stringContaining('ask the question again'),
    });
    expect((await again(process, first, 'regenerate', { text: 'How long?' })).kind).toBe('kept');
  });

  test('of an answer whose question was edited starts a new list of versions', async () => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?', { id: 'm' });
    await world.clock.pass(3_000);
    await regenerated(process, first);
    await process.intake({ kind: 'edit', message: message({ id: 'm', text: 'How short?', revision: 1 }) });
    await world.clock.pass(6_000);
    expect(shown()).toMatchObject([{ text: 'Answer 3.' }]);
    expect(shown()[0]?.editions).toBeUndefined();
  });
});

test('works while the answer that is shown as done still waits for its sources', async () => {
  const agent = createScriptedAgent({
    name: 'books',
    script: ({ text }, nth) => numbered(text, nth),
    sources: () => ({ afterMs: 5_000, sources: [] }),
  });
  world = createWorld({ agents: [agent] });
  const process = await world.boot();
  const first = await ask(process, 'How long?');
  await world.clock.pass(2_000);
  expect((await process.inbox.find(first))?.state).toBe('running');
  expect(shown()).toMatchObject([{ state: 'done' }]);
  expect((await process.finishedReplies.find(first))?.document).toMatchObject({
    state: 'done',
    text: 'Answer 1.',
  });
  expect((await again(process, first, 'regenerate')).kind).toBe('kept');
  await world.clock.pass(12_000);
  expect(shown()).toMatchObject([{ text: 'Answer 2.', editions: { shown: 2, count: 2 } }]);
});

describe('an edit with the same text', () => {
  test('of an answered question has no effect', async () => {
    const agent = open();
    const process = await world.boot();
    await ask(process, 'How long?', { id: 'm' });
    await world.clock.pass(3_000);
    const edited = message({ id: 'm', text: 'How long? ', revision: 1 });
    expect(await process.intake({ kind: 'edit', message: edited })).toEqual({ kind: 'nothing' });
    await world.clock.pass(6_000);
    expect(agent.askings).toHaveLength(1);
  });
});

describe('the arrows', () => {
  test('show every version unchanged, in the same message, and lead to further ones', async () => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    const second = await regenerated(process, first);
    expect((await show(process, second, 1)).kind).toBe('kept');
    await world.clock.pass(500);
    expect(shown()).toMatchObject([
      { turn: first, state: 'done', text: 'Answer 1.', editions: { shown: 1, count: 2 } },
    ]);
    await show(process, first, 2);
    await world.clock.pass(500);
    expect(shown()).toMatchObject([{ turn: second, text: 'Answer 2.', editions: { shown: 2, count: 2 } }]);
    await show(process, second, 1);
    await world.clock.pass(500);
    await regenerated(process, first);
    expect(shown()).toMatchObject([{ text: 'Answer 3.', editions: { shown: 3, count: 3 } }]);
  });

  test('work at once, even if the thread is busy with another question', async () => {
    open((text, nth) => (text === 'slow' ? [{ silence: true }] : numbered(text, nth)));
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    await regenerated(process, first);
    await ask(process, 'slow');
    await world.clock.pass(1_000);
    await show(process, first, 1);
    await world.clock.pass(500);
    expect(shown()[0]).toMatchObject({ text: 'Answer 1.' });
  });

  test('say if one more version is being written; a repeated event counts once', async () => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    const second = await regenerated(process, first);
    await again(process, second, 'regenerate');
    expect(await show(process, second, 1)).toMatchObject({
      kind: 'refused',
      tellUser: expect.stringContaining('being written'),
    });
    await world.clock.pass(3_000);
    expect((await show(process, second, 1, 'same')).kind).toBe('kept');
    expect((await show(process, second, 1, 'same')).kind).toBe('duplicate');
  });

  test('say kindly that a version has expired or never existed', async () => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    world.clock.jump(23 * HOUR_MS);
    const kept = await again(process, first, 'regenerate');
    await world.clock.pass(3_000);
    world.clock.jump(2 * HOUR_MS);
    const turn = kept.kind === 'kept' ? kept.turn : first;
    const gone = { kind: 'refused', tellUser: expect.stringContaining('24 hours') };
    expect(await show(process, turn, 1)).toEqual(gone);
    expect(await show(process, turn, 9)).toEqual(gone);
    expect((await show(process, turn, 2)).kind).toBe('kept');
  });

  test('work while the newest version is shown as done and waits for its sources', async () => {
    const agent = createScriptedAgent({
      name: 'books',
      script: ({ text }, nth) => numbered(text, nth),
      sources: () => ({ afterMs: 5_000, sources: [] }),
    });
    world = createWorld({ agents: [agent] });
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(10_000);
    await again(process, first, 'regenerate');
    await world.clock.pass(2_000);
    expect(shown()).toMatchObject([{ state: 'done', text: 'Answer 2.' }]);
    expect((await show(process, first, 1)).kind).toBe('kept');
  });

  test('say that the answer is gone if no version is stored', async () => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    world.clock.jump(25 * HOUR_MS);
    expect(await show(process, first, 1)).toEqual({
      kind: 'refused',
      tellUser: expect.stringContaining('24 hours'),
    });
  });

  test('do nothing if the maximum number of presses waits in the thread', async () => {
    open((text, nth) => (text === 'slow' ? [{ silence: true }] : numbered(text, nth)), { laneLimit: 1 });
    const process = await world.boot({ atOnce: 1 });
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    await ask(process, 'slow');
    await world.clock.pass(500);
    expect((await show(process, first, 1)).kind).toBe('kept');
    expect(await show(process, first, 1)).toEqual({ kind: 'nothing' });
  });

  test.each([0, 5, 15, 25])('survive kill -9, %d ms after the press', async (after) => {
    open();
    const process = await world.boot();
    const first = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    const second = await regenerated(process, first);
    await show(process, second, 1);
    await world.clock.pass(after);
    process.kill();
    const next = await world.boot();
    await world.clock.pass(5_000);
    expect(shown()).toMatchObject([{ turn: first, text: 'Answer 1.', editions: { shown: 1, count: 2 } }]);
    expect(await next.inbox.counts()).toEqual({ waiting: 0, running: 0 });
  });
});

test('the stored data of a reply is deleted with its question', async () => {
  open();
  const process = await world.boot();
  const first = await ask(process, 'How long?', { id: 'm' });
  await world.clock.pass(3_000);
  const second = await regenerated(process, first);
  expect((await process.finishedReplies.find(first))?.document.text).toBe('Answer 1.');
  await process.intake({ kind: 'delete', thread: message().thread, message: 'm' });
  await world.clock.pass(3_000);
  expect(shown()).toEqual([]);
  expect([await process.finishedReplies.find(first), await process.finishedReplies.find(second)]).toEqual([
    undefined,
    undefined,
  ]);
});

test.each([
  200, 600, 3_000,
])('a regenerated answer survives kill -9, %d ms after the press', async (after) => {
  open();
  const process = await world.boot();
  const first = await ask(process, 'How long?');
  await world.clock.pass(3_000);
  await again(process, first, 'regenerate');
  await world.clock.pass(after);
  process.kill();
  await world.boot();
  await world.clock.pass(20_000);
  expect(shown()).toMatchObject([{ editions: { shown: 2, count: 2 } }]);
  expect(shown()[0]?.state).toMatch(/done|partial/);
});

test('an agent without sessions gets each reply once, in its newest version, and no deleted one', async () => {
  const agent = createScriptedAgent({
    name: 'books',
    script: ({ text }, nth) => numbered(text, nth),
    memory: 'history',
  });
  world = createWorld({ agents: [agent] });
  const process = await world.boot();
  const first = await ask(process, 'How long?', { id: 'm' });
  await world.clock.pass(3_000);
  await regenerated(process, first);
  await process.intake({ kind: 'edit', message: message({ id: 'm', text: 'How short?', revision: 1 }) });
  await world.clock.pass(6_000);
  await ask(process, 'And chairs?');
  await world.clock.pass(3_000);
  await process.intake({ kind: 'delete', thread: message().thread, message: 'm' });
  await world.clock.pass(3_000);
  await ask(process, 'And lamps?');
  await world.clock.pass(3_000);
  const told = agent.askings.map(({ question }) =>
    question.history.map((each) => [each.question, each.answer]),
  );
  expect(told).toEqual([[], [], [], [['How short?', 'Answer 3.']], [['And chairs?', 'Answer 4.']]]);
});
