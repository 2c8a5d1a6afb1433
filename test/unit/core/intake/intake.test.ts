/** Tests which events are stored, which are refused and what people then read, and what each person may do. */

import { afterEach, describe, expect, test } from 'vitest';
import { type TurnId, turnId } from '../../../../src/core/ids.ts';
import type { Message, ThreadRef } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { catalogue } from '../../../../src/errors.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, type World, type WorldOptions } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

async function open(over: Partial<WorldOptions> = {}, script: readonly Act[] = [{ say: 'Two years.' }]) {
  world = createWorld({ agents: [createScriptedAgent({ name: 'books', script: () => script })], ...over });
  const process = await world.boot();
  return {
    process,
    send: (text: string, more: Partial<Message> & { lane?: string } = {}) =>
      process.intake(asking(text, more)),
  };
}
const refused = (code: keyof typeof catalogue) => ({ kind: 'refused', tellUser: catalogue[code].tellUser });
const file = { id: 'f1', name: 'a.png', type: 'image/png', bytes: 3 };

describe('a question', () => {
  test('needs text, a file, a quote of its own, or something that the agent does not get', async () => {
    const { send } = await open();
    const quote = { author: 'Mara', text: 'which valve is it' };
    expect(await send(' \n ')).toEqual(refused('question-empty'));
    const earlier = [{ ...quote, kind: 'earlier' as const }];
    expect(await send('', { quoted: earlier })).toEqual(refused('question-empty'));
    expect(await send('', { id: 'm3', quoted: [quote] })).toMatchObject({ kind: 'kept' });
    expect(await send('', { id: 'm4', omitted: ['the video demo.mp4'] })).toMatchObject({ kind: 'kept' });
    expect(await send('', { id: 'm2', files: [file] })).toMatchObject({ kind: 'kept' });
  });

  test('has a maximum length', async () => {
    const { send } = await open();
    expect(await send('x'.repeat(100_001))).toEqual(refused('question-too-long'));
    expect(await send('x'.repeat(100_000))).toMatchObject({ kind: 'kept' });
  });

  test('is recorded as an event with its channel, its origin and the number of questions ahead', async () => {
    const { send } = await open();
    const first = await send('one');
    const second = await send('two');
    expect([first, second]).toMatchObject([
      { kind: 'kept', ahead: 0 },
      { kind: 'kept', ahead: 1 },
    ]);
    const kept = world.events.filter(({ name }) => name === 'kept');
    expect(kept.map(({ detail }) => detail)).toEqual([
      { channel: 'memory', origin: 'message', ahead: 0, ms: 0 },
      { channel: 'memory', origin: 'message', ahead: 1, ms: 0 },
    ]);
    expect(kept.map(({ turn }) => turn)).toEqual([first, second].map((one) => 'turn' in one && one.turn));
  });

  test('whose event is repeated is stored once', async () => {
    const { send } = await open();
    const first = await send('one');
    expect(await send('one')).toEqual({ kind: 'duplicate', turn: 'turn' in first && first.turn });
  });

  test('is recorded as stored before a worker claims it', async () => {
    const { send } = await open();
    await send('one');
    await world.clock.pass(1_000);
    expect(world.events.slice(0, 2).map(({ name }) => name)).toEqual(['kept', 'claimed']);
  });

  test('in a full lane is refused', async () => {
    const { send } = await open({ laneLimit: 1 }, []);
    await send('runs');
    await world.clock.pass(10);
    const kinds = [await send('waits'), await send('too many')];
    expect(kinds).toMatchObject([{ kind: 'kept' }, refused('lane-full')]);
  });

  test('counts towards the asker’s limit; commands count separately', async () => {
    const { send } = await open({ questionsPerMinute: 1, commandsPerMinute: 1 });
    expect(await send('one')).toMatchObject({ kind: 'kept' });
    expect(await send('two')).toEqual({ kind: 'refused', tellUser: words.tooManyQuestions(1) });
    expect(await send('help')).toMatchObject({ kind: 'kept' });
    expect(await send('agents')).toEqual({ kind: 'refused', tellUser: words.tooManyCommands(1) });
    expect(await send('three', { sender: person({ id: 'bob' }) })).toMatchObject({ kind: 'kept' });
  });
});

describe('a stop', () => {
  const running = async (over: Partial<WorldOptions> = {}) => {
    const opened = await open(over, [{ say: 'Two' }, { pause: 60_000 }]);
    const turn = await ask(opened.process, 'How long?');
    await world.clock.pass(1_000);
    return { ...opened, turn };
  };
  const stop = (over: Partial<ThreadRef>, turn?: string) =>
    ({
      kind: 'stop',
      thread: thread(over),
      by: person(),
      ...(turn !== undefined && { turn: turnId(turn) }),
    }) as const;

  test('ends the running turn of its thread, once', async () => {
    const { process, turn } = await running();
    expect(await process.intake(stop({}))).toEqual({ kind: 'stopped' });
    await world.clock.pass(10_000);
    expect((await process.inbox.find(turn))?.state).toBe('stopped');
    expect(await process.intake(stop({}))).toEqual({ kind: 'nothing-to-stop' });
    expect(await process.intake(stop({}, turn))).toEqual({ kind: 'nothing-to-stop' });
  });

  test('typed as “instead” asks the same person’s waiting question next, and repeated does nothing more', async () => {
    const { process, send, turn } = await running();
    const refused = { kind: 'refused', tellUser: words.nothingWaits };
    expect(await send('instead', { id: 'm1' })).toEqual(refused);
    const others = await send('How wide?', { id: 'm2', sender: person({ id: 'bob' }) });
    const own = await send('How high?', { id: 'm3' });
    expect(await send('instead', { id: 'm4' })).toEqual({ kind: 'stopped' });
    await world.clock.pass(10_000);
    const stateOf = async (kept: object) =>
      'turn' in kept ? (await process.inbox.find(kept.turn as TurnId))?.state : undefined;
    expect((await process.inbox.find(turn))?.state).toBe('stopped');
    expect([await stateOf(own), await stateOf(others)]).toEqual(['running', 'waiting']);
    expect(await send('instead', { id: 'm5' })).toEqual(refused);
    expect(await stateOf(own)).toBe('running');
  });

  test('pressed as “Ask this instead” asks exactly that question of its author next, once', async () => {
    const { process, send, turn } = await running();
    const kept = async (text: string, over: object) => {
      const { turn: id } = (await send(text, over)) as { turn: TurnId };
      return id;
    };
    const own = await kept('How high?', { id: 'm1' });
    const newer = await kept('How wide?', { id: 'm2' });
    const instead = (id: TurnId, over: { by?: string; key?: string } = {}) =>
      process.intake({
        ...{ kind: 'instead', turn: id, by: person({ id: over.by ?? 'ada' }) },
        thread: thread(over.key === undefined ? {} : { key: over.key }),
      });
    const idle = { kind: 'nothing-to-stop' };
    expect(await instead(own, { by: 'bob' })).toEqual({ kind: 'refused', tellUser: words.notYourQuestion });
    expect(await instead(own, { key: 't2' })).toEqual(idle);
    expect(await instead(turn)).toEqual(idle);
    expect(await instead(own)).toEqual({ kind: 'stopped' });
    expect(await instead(own)).toEqual(idle);
    await world.clock.pass(10_000);
    const states = async () =>
      Promise.all([turn, own, newer].map(async (id) => (await process.inbox.find(id))?.state));
    expect(await states()).toEqual(['stopped', 'running', 'waiting']);
    expect(await instead(own)).toEqual(idle);
    expect(await states()).toEqual(['stopped', 'running', 'waiting']);
  });

  test('pressed on a question that was edited while it waited asks its newest wording', async () => {
    const { process, send, turn } = await running();
    const { turn: own } = (await send('How high?', { id: 'm1' })) as { turn: TurnId };
    const message = { ...asking('How high is it?', { id: 'm1' }).message, revision: 1 };
    const edited = (await process.intake({ kind: 'edit', message })) as { turn: TurnId };
    const pressed = { kind: 'instead', turn: own, thread: thread(), by: person({ id: 'ada' }) } as const;
    expect(await process.intake(pressed)).toEqual({ kind: 'stopped' });
    await world.clock.pass(10_000);
    const states = [turn, own, edited.turn].map(async (id) => (await process.inbox.find(id))?.state);
    expect(await Promise.all(states)).toEqual(['stopped', 'superseded', 'running']);
  });

  test('that names a turn ends that turn', async () => {
    const { process, turn } = await running();
    expect(await process.intake(stop({}, 'unknown'))).toEqual({ kind: 'nothing-to-stop' });
    expect(await process.intake(stop({}, turn))).toEqual({ kind: 'stopped' });
  });

  test('from another thread ends no turn (attack S16)', async () => {
    const { process, turn } = await running();
    for (const over of [{ room: 'other' }, { tenant: 'umbrella' }, { channel: 'other' }, { key: 't2' }])
      expect(await process.intake(stop(over, turn))).toEqual({ kind: 'nothing-to-stop' });
    expect(await process.intake(stop({ key: 't2' }))).toEqual({ kind: 'nothing-to-stop' });
    expect((await process.inbox.find(turn))?.state).toBe('running');
  });

  test.each(['guest', 'external', 'bot'] as const)('typed by a %s ends no turn (S18)', async (standing) => {
    const { process, send, turn } = await running();
    const sender = person({ id: 'other', standing });
    const tellUser = standing === 'bot' ? words.bots : words.guests;
    expect(await send('stop', { id: 'm2', sender })).toEqual({ kind: 'refused', tellUser });
    await world.clock.pass(10_000);
    expect((await process.inbox.find(turn))?.state).toBe('running');
  });

  test('typed by a guest ends the running turn if guests may ask', async () => {
    const { send } = await running({ access: { guests: true } });
    const sender = person({ id: 'other', standing: 'guest' });
    expect(await send('stop', { id: 'm2', sender })).toEqual({ kind: 'stopped' });
  });

  test('as a typed word ends the running turn; without one it is answered', async () => {
    const { process, send, turn } = await running();
    expect(await send('stop')).toEqual({ kind: 'stopped' });
    await world.clock.pass(10_000);
    expect((await process.inbox.find(turn))?.state).toBe('stopped');
    expect(await send('stop', { id: 'again' })).toMatchObject({ kind: 'kept' });
  });
});

describe('feedback', () => {
  const answered = async () => {
    const opened = await open();
    const turn = await ask(opened.process, 'How long?');
    await world.clock.pass(5_000);
    const give = (over: Partial<{ note: string; turn: string; thread: ThreadRef }> = {}) => {
      const { turn: of = turn, ...more } = over;
      const event = { kind: 'feedback', thread: thread(), by: person(), verdict: 'up' } as const;
      return opened.process.intake({ ...event, ...more, turn: turnId(of) });
    };
    return { ...opened, turn, give };
  };

  test('is stored and recorded with the place and the agent of the answer', async () => {
    const { process, turn, give } = await answered();
    expect(await give({ note: '  Clear.\n' })).toEqual({ kind: 'noted' });
    expect(await process.feedback.all()).toEqual([
      {
        ...{ turn, reply: turn, person: 'ada', verdict: 'up', at: world.clock.now(), note: 'Clear.' },
        ...{ channel: 'memory', tenant: 'acme', room: 'general', agent: 'books' },
      },
    ]);
    expect(world.events.at(-1)).toMatchObject({ turn, name: 'feedback', detail: { verdict: 'up' } });
  });

  test('keeps a note of at most 2,000 characters, never splits a character, and ignores a blank note', async () => {
    const { process, give } = await answered();
    await give({ note: ' ' });
    expect((await process.feedback.all())[0]).not.toHaveProperty('note');
    await give({ note: 'x'.repeat(2_001) });
    expect((await process.feedback.all())[0]?.note).toBe('x'.repeat(2_000));
    await give({ note: `${'x'.repeat(1_999)}😀` });
    const [kept] = await process.feedback.all();
    expect(kept?.note).toHaveLength(2_000);
    expect(kept?.note?.isWellFormed()).toBe(true);
  });

  test('on an unknown answer or from another thread is not stored (attack S16)', async () => {
    const { process, give } = await answered();
    expect(await give({ turn: 'unknown' })).toEqual({ kind: 'nothing' });
    expect(await give({ thread: thread({ room: 'other' }) })).toEqual({ kind: 'nothing' });
    expect(await process.feedback.all()).toEqual([]);
  });
});
