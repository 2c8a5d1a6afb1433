import { afterEach, describe, expect, test } from 'vitest';
import { agentName, type TurnId } from '../../../../src/core/ids.ts';
import type { Message } from '../../../../src/core/message.ts';
import { message, person, thread } from '../../../fakes/samples.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

function open() {
  const agents = ['books', 'films'].map((name) =>
    createScriptedAgent({ name, script: ({ text }) => [{ say: `${name}: ${text}` }] }),
  );
  world = createWorld({ agents, policy: { identity: [{ person: 'bo', account: 'bo@platform' }] } });
  return agents;
}
const act = (process: Process, key: string, over: Partial<Message>, of?: TurnId) =>
  process.intake({
    kind: 'ask',
    origin: { kind: 'act', key, ...(of !== undefined && { of }) },
    message: message({ sender: person({ id: 'bo' }), ...over }),
  });
const texts = () => world.channel.messages().map(({ document }) => document.text);

describe('an act', () => {
  test('on a suggestion asks it as the person who pressed, in a new reply, once', async () => {
    const [books] = open();
    const process = await world.boot();
    await ask(process, 'How long?');
    await world.clock.pass(3_000);
    const kept = [
      await act(process, 'press 1', { id: 'p1', text: 'And chairs?' }),
      await act(process, 'press 1', { id: 'p1', text: 'And chairs?' }),
    ];
    expect(kept.map(({ kind }) => kind)).toEqual(['kept', 'duplicate']);
    await world.clock.pass(3_000);
    expect(texts()).toEqual(['books: How long?', 'books: And chairs?']);
    expect(books?.askings.at(-1)?.question.locale).toBeUndefined();
  });

  test('on an answer asks its question of another agent; the thread keeps its own agent', async () => {
    open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?', { id: 'm' });
    await world.clock.pass(3_000);
    await act(process, 'press 1', { id: 'm', text: '', agent: agentName('films') }, turn);
    await world.clock.pass(3_000);
    await ask(process, 'And chairs?');
    await world.clock.pass(3_000);
    expect(texts()).toEqual(['books: How long?', 'films: How long?', 'books: And chairs?']);
  });

  test('on an answer asks its question only in the person’s own direct room if it comes from another room (S16, S17)', async () => {
    open();
    const process = await world.boot();
    const own = {
      id: 'd1',
      text: '',
      thread: thread({ room: 'dm-bo', key: 'dm-bo', kind: 'direct' }),
    } as const;
    const turn = await ask(process, 'How long?', { id: 'm' });
    await world.clock.pass(3_000);
    const from = (where: Partial<Message>, place: ReturnType<typeof thread>, of = turn) =>
      process.intake({
        kind: 'ask',
        origin: { kind: 'act', key: `press ${JSON.stringify([where.id, place])}`, of, from: place },
        message: message({ sender: person({ id: 'bo' }), ...own, ...where }),
      });
    const elsewhere = [
      await act(process, 'press 0', own, turn),
      await from({ id: 'd2' }, thread({ room: 'other' })),
      await from({ id: 'd3' }, thread({ tenant: 'umbrella' })),
      await from({ id: 'd4', thread: thread({ room: 'other' }) }, thread()),
    ];
    expect(elsewhere.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'refused', 'refused']);
    expect(await from({}, thread())).toMatchObject({ kind: 'kept' });
    await world.clock.pass(3_000);
    expect(texts()).toEqual(['books: How long?', 'books: How long?']);
  });

  test('on an expired answer is refused with a sentence', async () => {
    open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    world.clock.jump(25 * 3_600_000);
    expect(await act(process, 'press 1', { text: '' }, turn)).toMatchObject({ kind: 'refused' });
  });

  test('is removed with its question, but not changed by an edit', async () => {
    open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?', { id: 'm' });
    await world.clock.pass(3_000);
    await act(process, 'press 1', { id: 'm', text: '', agent: agentName('films') }, turn);
    await world.clock.pass(3_000);
    await process.intake({ kind: 'edit', message: message({ id: 'm', text: 'How short?', revision: 1 }) });
    await world.clock.pass(6_000);
    expect(texts()).toEqual(['books: How short?', 'films: How long?']);
    await process.intake({ kind: 'delete', thread: thread(), message: 'm' });
    await world.clock.pass(3_000);
    expect(texts()).toEqual([]);
    expect(await act(process, 'press 2', { id: 'm', text: 'again' })).toEqual({ kind: 'nothing' });
  });
});

describe('feedback', () => {
  const give = (process: Process, turn: TurnId, verdict: 'up' | 'down' | 'none', note?: string, id = 'ada') =>
    process.intake({
      kind: 'feedback',
      thread: thread(),
      turn,
      by: person({ id }),
      verdict,
      ...(note !== undefined && { note }),
    });
  const given = async (process: Process) =>
    (await process.feedback.all()).map(({ person, verdict, note }) => [person, verdict, note]);

  test('is one rating per person and version, changeable, with a note that stays while the verdict does', async () => {
    open();
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(3_000);
    expect(await give(process, turn, 'up')).toEqual({ kind: 'noted' });
    await give(process, turn, 'up', undefined, 'bo');
    await give(process, turn, 'down', ' It is three years. ');
    await give(process, turn, 'down');
    expect(await given(process)).toEqual([
      ['ada', 'down', 'It is three years.'],
      ['bo', 'up', undefined],
    ]);
    await give(process, turn, 'up');
    await give(process, turn, 'none', undefined, 'bo');
    expect(await given(process)).toEqual([['ada', 'up', undefined]]);
    expect((await process.feedback.all())[0]).toMatchObject({
      turn,
      reply: turn,
      room: 'general',
      agent: 'books',
    });
    expect(world.events.filter(({ name }) => name === 'feedback')).toHaveLength(6);
  });

  test('on an unknown or expired answer has no effect', async () => {
    open();
    expect(await give(await world.boot(), 't-99' as TurnId, 'up')).toEqual({ kind: 'nothing' });
  });
});
