import { afterEach, expect, test } from 'vitest';
import type { Intake } from '../../../../src/core/channel/events.ts';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import { originKey, replyLane } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { recordingLog } from '../../../contract/store/manual-clock.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import {
  ask,
  asking,
  createWorld,
  type Process,
  seen,
  type World,
  type WorldOptions,
} from '../../../fakes/world.ts';

const HOUR_MS = 3_600_000;
const REFUSED = { fail: new BridgeError('platform-unreachable', 'connection refused') };
let world: World;
afterEach(() => world.close());

/** Opens a world with one platform, which can be switched off. Each answer takes a second. */
function open(options: Partial<WorldOptions> & { readonly atOnce?: number } = {}) {
  const { atOnce = 10, ...more } = options;
  const platform = { up: true };
  let running = 0;
  let most = 0;
  const agent = createScriptedAgent({
    name: 'books',
    script: ({ text }): readonly Act[] => {
      if (!platform.up) return [{ pause: 100 }, REFUSED];
      running += 1;
      most = Math.max(most, running);
      world.clock.wait(1_000).then(() => {
        running -= 1;
      });
      return [{ tell: { type: 'session', session: 's' } }, { pause: 1_000 }, { say: `Answer to ${text}` }];
    },
  });
  const log = recordingLog();
  const platforms = [{ address: 'http://platform', agents: ['books'], atOnce, answers: () => platform.up }];
  world = createWorld({ agents: [agent], platforms, log, ...more });
  const askings = () => agent.askings.map(({ question }) => question.text);
  return { platform, agent, askings, log, most: () => most };
}

const documentOf = (turn: TurnId) => seen(world.channel, turn).document;
const stateOf = async (process: Process, turn: TurnId) => (await process.inbox.find(turn))?.state;
const stop = (turn: TurnId): Intake => ({ kind: 'stop', turn, thread: thread({ key: 't1' }), by: person() });

test('during an hour without the platform, questions are kept, say so within 5 s, and are answered afterwards', async () => {
  const { platform, askings, log } = open();
  const process = await world.boot();
  platform.up = false;
  const first = await ask(process, 'one', { lane: 't1' });
  await world.clock.pass(5_000);
  expect(documentOf(first)).toMatchObject({ state: 'thinking', meanwhile: words.platformDown });
  expect(await stateOf(process, first)).toBe('waiting');
  expect(askings()).toEqual(['one']);

  const second = await ask(process, 'two', { lane: 't2' });
  await world.clock.pass(1_000);
  expect(documentOf(second).meanwhile).toBe(words.platformDown);
  const behind = await ask(process, 'three', { lane: 't2' });
  await world.clock.pass(HOUR_MS);
  expect(askings()).toEqual(['one']);
  expect(await process.inbox.counts()).toEqual({ waiting: 3, postponed: 2, running: 0 });

  platform.up = true;
  await world.clock.pass(40_000);
  for (const [turn, text] of [
    [first, 'one'],
    [second, 'two'],
    [behind, 'three'],
  ] as const)
    expect(documentOf(turn)).toMatchObject({ state: 'done', text: `Answer to ${text}`, notices: [] });
  expect(documentOf(first).meanwhile).toBeUndefined();
  expect(await process.inbox.counts()).toEqual({ waiting: 0, running: 0 });
  expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
  const { facts } = log.lines[1] ?? {};
  expect(facts).toMatchObject({ platform: 'http://platform', waiting: 1 });
});

test('a question that waited is asked again without a change on the screen until the agent answers', async () => {
  const { platform } = open();
  const process = await world.boot();
  platform.up = false;
  const turn = await ask(process, 'one');
  await world.clock.pass(10_000);
  const before = world.channel.showings.length;
  platform.up = true;
  await world.clock.pass(60_000);
  const later = world.channel.showings
    .slice(before)
    .map(({ document }) => document.meanwhile ?? document.state);
  expect(later).toEqual([words.platformDown, 'thinking', 'writing', 'done']);
  expect(documentOf(turn).state).toBe('done');
});

test('after the outage, no more questions are asked at once than the limit allows, in the order of the questions', async () => {
  const { platform, askings, most } = open({ atOnce: 4 });
  const process = await world.boot();
  platform.up = false;
  const turns: TurnId[] = [];
  for (let n = 0; n < 40; n++) {
    turns.push(await ask(process, `q${n}`, { lane: `t${n}` }));
    await world.clock.pass(100);
  }
  await world.clock.pass(30_000);
  const asked = askings().length;
  platform.up = true;
  await world.clock.pass(120_000);
  for (const turn of turns) expect(documentOf(turn).state).toBe('done');
  expect(most()).toBe(4);
  expect(askings().length).toBe(asked + 40);
  const order = askings()
    .slice(asked)
    .map((text) => Number(text.slice(1)));
  // Leaves out the questions that failed before the breaker opened, because they are asked again last.
  const kept = order.filter((n) => n >= asked);
  expect(kept).toEqual(kept.toSorted((one, other) => one - other));
});

test('a question that waits too long expires, and can be asked again', async () => {
  const { platform, askings } = open({ keepMs: 600_000 });
  const process = await world.boot();
  platform.up = false;
  const turn = await ask(process, 'one');
  await world.clock.pass(590_000);
  expect(await stateOf(process, turn)).toBe('waiting');
  await world.clock.pass(20_000);
  expect(await stateOf(process, turn)).toBe('expired');
  const document = documentOf(turn);
  expect(document).toMatchObject({ state: 'failed', error: 'question-expired', retry: true });
  expect(document.notices[0]?.text).toMatch(/could not be reached for too long.*Press Retry/);
  platform.up = true;
  await world.clock.pass(60_000);
  const message = asking('one').message;
  const retried = await process.intake({
    kind: 'ask',
    origin: { kind: 'retry', of: turn, key: 'press', by: 'u1' },
    message,
  });
  expect(retried.kind).toBe('kept');
  await world.clock.pass(10_000);
  expect(askings()).toEqual(['one', 'one']);
});

test('a question that waits can be stopped, edited and deleted', async () => {
  const { platform, askings } = open();
  const process = await world.boot();
  platform.up = false;
  const stopped = await ask(process, 'stopped', { lane: 't1' });
  const edited = await ask(process, 'edited', { lane: 't2' });
  const deleted = await ask(process, 'deleted', { lane: 't3' });
  await world.clock.pass(10_000);
  await process.intake(stop(stopped));
  const { message } = asking('edited', { lane: 't2' });
  const newer = { ...message, text: 'better', revision: 1 };
  await process.intake({ kind: 'edit', message: newer });
  const gone = asking('deleted', { lane: 't3' }).message;
  await process.intake({ kind: 'delete', thread: gone.thread, message: gone.id });
  await world.clock.pass(10_000);
  expect(documentOf(stopped).state).toBe('stopped');
  expect(await stateOf(process, stopped)).toBe('stopped');
  expect(await stateOf(process, edited)).toBe('superseded');
  expect(await stateOf(process, deleted)).toBe('withdrawn');
  expect(world.channel.messages().map(({ document }) => document.meanwhile)).toContain(words.platformDown);
  expect(world.channel.messages()).toHaveLength(2);
  const before = askings().length;
  platform.up = true;
  await world.clock.pass(60_000);
  expect(askings().slice(before)).toEqual(['better']);
});

test.each(['kill', 'stop'] as const)('questions that wait survive a %s of the process', async (end) => {
  const { platform, askings } = open({ atOnce: 2 });
  const before = await world.boot();
  platform.up = false;
  const turns: TurnId[] = [];
  for (const lane of ['t1', 't2', 't3', 't4', 't5']) turns.push(await ask(before, `in ${lane}`, { lane }));
  await world.clock.pass(20_000);
  if (end === 'kill') before.kill();
  else await Promise.all([before.stop(1_000), world.clock.pass(30_000)]);
  const asked = askings().length;
  const next = await world.boot();
  await world.clock.pass(100_000);
  expect(askings()).toHaveLength(asked);
  expect(await next.inbox.counts()).toMatchObject({ waiting: 5, running: 0 });
  platform.up = true;
  await world.clock.pass(60_000);
  for (const turn of turns) expect(documentOf(turn).state).toBe('done');
});

test('commands are answered, and agents of another platform too', async () => {
  const { platform } = open();
  world.close();
  const books = createScriptedAgent({ name: 'books', script: () => [REFUSED] });
  const other = createScriptedAgent({ name: 'other', script: () => [{ say: 'Yes.' }] });
  const platforms = [
    { address: 'http://one', agents: ['books'], answers: () => platform.up },
    { address: 'http://two', agents: ['other'], answers: () => true },
  ];
  world = createWorld({ agents: [books, other], platforms });
  const process = await world.boot();
  platform.up = false;
  const waits = await ask(process, 'one', { lane: 't1' });
  await world.clock.pass(10_000);
  const help = await ask(process, 'help', { lane: 't2' });
  const second = await ask(process, 'Hi', { lane: 't3', agent: agentName('other') });
  await world.clock.pass(5_000);
  expect(documentOf(help).state).toBe('done');
  expect(documentOf(second)).toMatchObject({ state: 'done', text: 'Yes.' });
  expect(await stateOf(process, waits)).toBe('waiting');
});

test('an answer that had begun stays as it is, marked as interrupted', async () => {
  const { platform } = open();
  world.close();
  const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'The warranty' }, REFUSED] });
  const platforms = [{ address: 'http://one', agents: ['books'], answers: () => platform.up }];
  world = createWorld({ agents: [agent], platforms });
  const process = await world.boot();
  platform.up = false;
  const turn = await ask(process, 'one');
  await world.clock.pass(10_000);
  expect(documentOf(turn)).toMatchObject({ state: 'partial', text: 'The warranty', retry: true });
  expect(await stateOf(process, turn)).toBe('partial');
});

test('one question that fails while the platform answers probes is a named failure', async () => {
  const { platform } = open({
    platforms: [{ address: 'http://one', agents: ['books'], answers: () => true }],
  });
  const process = await world.boot();
  platform.up = false;
  const turn = await ask(process, 'one');
  await world.clock.pass(10_000);
  expect(documentOf(turn)).toMatchObject({ state: 'failed', error: 'platform-unreachable', retry: true });
});

test('a question whose notice cannot be shown is kept all the same', async () => {
  const { platform } = open();
  const process = await world.boot();
  platform.up = false;
  world.channel.fault = () => ({ kind: 'lose' });
  const turn = await ask(process, 'one');
  await world.clock.pass(60_000);
  expect(await stateOf(process, turn)).toBe('waiting');
  world.channel.fault = () => undefined;
  platform.up = true;
  await world.clock.pass(60_000);
  expect(documentOf(turn).state).toBe('done');
});

test('a reply that says that its question is kept is not replaced by a late repair of the answer before', async () => {
  const { platform } = open();
  const process = await world.boot();
  const of = await ask(process, 'one', { lane: 't1' });
  await world.clock.pass(4_000);
  platform.up = false;
  const { message } = asking('', { thread: thread({ key: 't1' }) });
  await process.intake({ kind: 'ask', message, origin: { kind: 'retry', of, by: person().id } });
  await world.clock.pass(2_000);
  const shown = () => world.channel.showings.at(-1)?.document;
  expect(shown()).toMatchObject({ meanwhile: words.platformDown });
  const kept = world.channel.showings.length;
  const origin = { kind: 'show', of, key: 'repair', strays: [] } as const;
  const id = 'repair' as TurnId;
  const originOfRepair = originKey(message.thread, origin);
  await process.inbox.add({
    id,
    message,
    origin,
    originKey: originOfRepair,
    lane: replyLane(of),
    follows: of,
  });
  await world.clock.pass(20_000);
  expect((await process.inbox.find(id))?.state).toBe('failed');
  expect(world.channel.showings).toHaveLength(kept);
  platform.up = true;
  await world.clock.pass(60_000);
  expect(shown()).toMatchObject({ state: 'done', text: 'Answer to one' });
});
