import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { person } from '../../../fakes/samples.ts';
import { createScriptedAgent, growing, type Script } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

const echo: Script = ({ text }) => growing(`You said ${text}.`, 6, 200);

function open(script: Script = echo, options: Partial<WorldOptions> = {}) {
  const agent = createScriptedAgent({ name: 'books', script });
  world = createWorld({ agents: [agent], ...options });
  return agent;
}
const stateOf = (turn: TurnId) => seen(world.channel, turn).document.state;
const isShown = (turn: TurnId) => world.channel.messages().some((each) => each.turn === turn);

describe('duplicates', () => {
  test('of an event, at once and later, even after its end and in another process, are one turn', async () => {
    const agent = open();
    const first = await world.boot();
    const event = asking('How long?');
    const kept = await Promise.all([first.intake(event), first.intake(event)]);
    expect(kept.map(({ kind }) => kind)).toEqual(['kept', 'duplicate']);
    expect(new Set(kept.map((each) => 'turn' in each && each.turn))).toEqual(new Set(['t-1']));
    await world.clock.pass(60_000);
    expect((await first.intake(event)).kind).toBe('duplicate');
    await first.stop(0);
    const second = await world.boot();
    expect((await second.intake(event)).kind).toBe('duplicate');
    await world.clock.pass(10_000);
    expect([agent.askings.length, world.channel.messages().length]).toEqual([1, 1]);
  });

  test('exclude a newer revision, which replaces the question', async () => {
    open();
    const process = await world.boot();
    await ask(process, 'one', { id: 'm' });
    expect((await process.intake(asking('one', { id: 'm' }))).kind).toBe('duplicate');
    expect((await process.intake(asking('two', { id: 'm', revision: 1 }))).kind).toBe('kept');
  });
});

describe('a lane', () => {
  test('runs one turn at a time, in order; waiting turns show their position at once', async () => {
    const agent = open();
    const process = await world.boot();
    const turns: TurnId[] = [];
    for (const text of ['one', 'two', 'three']) turns.push(await ask(process, text));
    await world.clock.pass(50);
    expect(world.channel.waits.map(({ turn, ahead }) => [turn, ahead])).toEqual([
      ['t-2', 1],
      ['t-3', 2],
    ]);
    expect(turns.map(isShown)).toEqual([true, false, false]);
    await world.clock.pass(30_000);
    expect(turns.map(stateOf)).toEqual(['done', 'done', 'done']);
    expect(agent.askings.map(({ question }) => question.text)).toEqual(['one', 'two', 'three']);
    const order = world.channel.showings.map(({ turn }) => turn);
    expect(order).toEqual(order.toSorted());
  });

  test('orders messages by their times if they arrive out of order within milliseconds', async () => {
    const agent = open();
    world.channel.lookup = {
      complete: async (message) => {
        await world.clock.wait(message.text === 'one' ? 900 : 80);
        return message;
      },
    };
    const process = await world.boot();
    const at = { one: 1_000, two: 1_000.1, three: 1_000.2 };
    for (const text of ['two', 'three', 'one'] as const) {
      await ask(process, text, { sentAt: at[text] });
      await world.clock.pass(20);
    }
    await world.clock.pass(30_000);
    expect(agent.askings.map(({ question }) => question.text)).toEqual(['one', 'two', 'three']);
    expect(world.channel.messages().map(({ document }) => document.question)).toEqual([
      'one',
      'two',
      'three',
    ]);
    expect(world.channel.messages().map(({ document }) => document.state)).toEqual(['done', 'done', 'done']);
  });

  test('keeps the order of arrival once a later question was asked', async () => {
    const agent = open();
    world.channel.lookup = { complete: async (message) => message };
    const process = await world.boot();
    await ask(process, 'two', { sentAt: 2 });
    await world.clock.pass(200);
    await ask(process, 'three', { sentAt: 3 });
    await ask(process, 'one', { sentAt: 1 });
    await world.clock.pass(30_000);
    expect(agent.askings.map(({ question }) => question.text)).toEqual(['two', 'one', 'three']);
  });

  test('does not delay another one', async () => {
    open(({ text }) => (text === 'slow' ? [{ silence: true }] : echo({ text } as never, 1)));
    const process = await world.boot();
    const slow = await ask(process, 'slow', { lane: 'a' });
    const quick = await ask(process, 'quick', { lane: 'b' });
    await world.clock.pass(5_000);
    expect([stateOf(slow), stateOf(quick)]).toEqual(['thinking', 'done']);
    expect(world.channel.waits).toEqual([]);
  });

  test('that is full refuses the next question with a sentence and drops none', async () => {
    open(echo, { laneLimit: 3 });
    const process = await world.boot();
    await ask(process, 'running');
    await world.clock.pass(100);
    for (const text of ['1', '2', '3']) await ask(process, text);
    const refused = await process.intake(asking('4'));
    expect(refused).toEqual({ kind: 'refused', tellUser: expect.stringContaining('already waiting') });
    expect((await process.intake(asking('elsewhere', { lane: 'b' }))).kind).toBe('kept');
    await world.clock.pass(60_000);
    expect(world.channel.messages().map(({ document }) => document.state)).toEqual(Array(5).fill('done'));
  });
});

describe('a busy worker', () => {
  test('announces waiting turns within 5 s, and starts them as soon as a place is free', async () => {
    open(({ text }) => growing(`You said ${text}.`, 2, 1_000));
    const process = await world.boot({ atOnce: 2 });
    for (const lane of ['a', 'b']) await ask(process, 'long', { lane });
    await world.clock.pass(1_000);
    const keptAt = world.clock.now();
    const turn = await ask(process, 'short', { lane: 'c' });
    expect(process.worker.running).toBe(2);
    await world.clock.until(() => world.channel.waits.length > 0, 5_000);
    expect(world.channel.waits[0]).toMatchObject({ turn, ahead: 0 });
    expect(world.clock.now() - keptAt).toBeLessThanOrEqual(5_000);
    await world.clock.until(
      () => world.channel.messages().filter(({ document }) => document.state === 'done').length === 1,
    );
    const freeAt = world.clock.now();
    await world.clock.until(() => isShown(turn));
    expect(world.clock.now() - freeAt).toBeLessThan(500);
    await world.clock.pass(60_000);
    expect(stateOf(turn)).toBe('done');
  });

  test('does not announce a question that starts at once because another one does', async () => {
    open();
    const process = await world.boot();
    await ask(process, 'one', { lane: 'a' });
    await world.clock.pass(100);
    await Promise.all([ask(process, 'two', { lane: 'a' }), ask(process, 'other', { lane: 'b' })]);
    await world.clock.pass(2_500);
    expect(world.channel.waits.map(({ turn }) => turn)).toEqual(['t-2']);
  });
});

describe('limits', () => {
  test('apply to a person’s questions per minute; refused ones leave nothing behind', async () => {
    const agent = open(echo, { questionsPerMinute: 2 });
    const process = await world.boot();
    for (const text of ['1', '2']) await ask(process, text, { lane: text });
    const refused = await process.intake(asking('3', { lane: '3' }));
    expect(refused).toEqual({
      kind: 'refused',
      tellUser: expect.stringContaining('The limit is 2 questions a minute'),
    });
    const other = asking('3', { lane: '3', sender: person({ id: 'bob' }) });
    expect((await process.intake(other)).kind).toBe('kept');
    await world.clock.pass(61_000);
    expect((await process.intake(asking('4', { lane: '4' }))).kind).toBe('kept');
    await world.clock.pass(10_000);
    expect(agent.askings).toHaveLength(4);
  });

  test('exclude commands, which are answered when no question may be asked any more', async () => {
    const agent = open(echo, { questionsPerMinute: 1 });
    const process = await world.boot();
    for (const said of ['help', 'agents', 'use books', 'language de', 'why']) {
      expect((await process.intake(asking(said, { lane: said }))).kind, said).toBe('kept');
    }
    expect((await process.intake(asking('1', { lane: '1' }))).kind).toBe('kept');
    expect((await process.intake(asking('2', { lane: '2' }))).kind).toBe('refused');
    expect((await process.intake(asking('whoami', { lane: '3' }))).kind).toBe('kept');
    const file = { id: 'f', name: 'a.png', type: 'image/png', bytes: 1 };
    expect((await process.intake(asking('help', { lane: '4', files: [file] }))).kind).toBe('refused');
    await world.clock.pass(10_000);
    expect(agent.askings).toHaveLength(1);
  });

  test('of commands are separate from those of questions', async () => {
    open(echo, { questionsPerMinute: 100, commandsPerMinute: 2 });
    const process = await world.boot();
    const kinds: string[] = [];
    for (const said of ['help', 'how?', 'agents', 'why'])
      kinds.push((await process.intake(asking(said, { lane: said }))).kind);
    expect(kinds).toEqual(['kept', 'kept', 'kept', 'refused']);
  });

  test('count a repeated event once, however many questions its person asked', async () => {
    open(echo, { questionsPerMinute: 2 });
    const process = await world.boot();
    const event = asking('1', { lane: '1' });
    for (const kind of ['kept', 'duplicate', 'duplicate', 'duplicate']) {
      expect((await process.intake(event)).kind).toBe(kind);
    }
    expect((await process.intake(asking('2', { lane: '2' }))).kind).toBe('kept');
    expect((await process.intake(asking('3', { lane: '3' }))).kind).toBe('refused');
    expect((await process.intake(event)).kind).toBe('duplicate');
  });

  test('refuse an empty message and one that is too long; a file alone is a question', async () => {
    open();
    const process = await world.boot();
    const file = { id: 'f', name: 'a.png', type: 'image/png', bytes: 1 };
    expect(await process.intake(asking(' \n'))).toEqual({
      kind: 'refused',
      tellUser: expect.stringContaining('no question'),
    });
    expect(await process.intake(asking('x'.repeat(100_001)))).toEqual({
      kind: 'refused',
      tellUser: expect.stringContaining('too long'),
    });
    expect((await process.intake(asking('x'.repeat(100_000), { id: 'long' }))).kind).toBe('kept');
    expect((await process.intake(asking('', { id: 'file', files: [file] }))).kind).toBe('kept');
  });
});
