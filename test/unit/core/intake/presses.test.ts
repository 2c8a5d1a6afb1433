/**
 * Tests presses on an answer and edits of its question: from where and by whom they are accepted (attack S16: a turn of
 * another place; S17: another person's private answer).
 */

import { afterEach, describe, expect, test } from 'vitest';
import { type AgentName, agentName, type TurnId } from '../../../../src/core/ids.ts';
import type { Message, Origin, ThreadRef } from '../../../../src/core/message.ts';
import { words } from '../../../../src/core/words.ts';
import { message, person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { asking, createWorld, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

const DIRECT: Partial<ThreadRef> = { kind: 'direct', room: 'dm', key: 'd' };
const eve = person({ id: 'eve' });
const file = (id: string) => ({ id, name: `${id}.png`, type: 'image/png', bytes: 3 });
const LOST = { kind: 'refused', tellUser: words.notRepeatable };
const UNENDED = { kind: 'refused', tellUser: words.notRepeatableYet };
const GONE = { kind: 'refused', tellUser: words.versionGone };

/** Asks a question in this thread and waits for the answer. The script defines what the agent does in every run. */
async function answered(
  place: Partial<ThreadRef> = {},
  over: Partial<Message> = {},
  script: readonly Act[] = [{ say: 'Two years.' }],
) {
  const [books, films] = ['books', 'films'].map((name) =>
    createScriptedAgent({ name, script: () => script }),
  );
  if (books === undefined || films === undefined) throw new Error('no agents');
  world = createWorld({ agents: [books, films] });
  const process = await world.boot();
  const said = asking('How long?', { id: 'm', thread: thread(place), ...over });
  const kept = await process.intake(said);
  if (kept.kind !== 'kept') throw new Error(kept.kind);
  await world.clock.pass(5_000);
  const { turn } = kept;
  return {
    ...{ process, turn, books, films },
    press: (origin: Partial<Origin>, by: Partial<Message>) =>
      process.intake({
        kind: 'ask',
        origin: { of: turn, by: 'x', ...origin } as Origin,
        message: message({ id: 'press', text: '', thread: thread(place), ...by }),
      }),
    show: (at: Partial<ThreadRef>, by = person(), of: TurnId = turn) =>
      process.intake({
        kind: 'show',
        thread: thread({ ...place, ...at }),
        turn: of,
        edition: 1,
        by,
        key: 'k',
      }),
    edit: (text: string, more: Partial<Message> = {}, fresh = false) =>
      process.intake({
        kind: 'edit',
        message: { ...said.message, text, revision: 1, ...more },
        ...(fresh && { fresh }),
      }),
  };
}

describe.each(['retry', 'regenerate'] as const)('a press to %s', (kind) => {
  test('is accepted only in the answer’s thread (S16)', async () => {
    const { press } = await answered();
    for (const over of [{ key: 't2' }, { room: 'other' }, { tenant: 'umbrella' }, { channel: 'other' }])
      expect(await press({ kind }, { thread: thread(over) })).toEqual(LOST);
    expect(await press({ kind }, {})).toMatchObject({ kind: 'kept' });
  });

  test('is accepted in a private conversation only from its own person (S17)', async () => {
    const { press } = await answered(DIRECT);
    expect(await press({ kind }, { sender: eve })).toEqual(LOST);
    expect(await press({ kind }, {})).toMatchObject({ kind: 'kept' });
  });

  test('is accepted in a room from anyone', async () => {
    const { press } = await answered();
    expect(await press({ kind }, { sender: eve })).toMatchObject({ kind: 'kept' });
  });

  test('on an unknown answer is refused (S16)', async () => {
    const { press } = await answered();
    expect(await press({ kind, of: 'unknown' as TurnId }, {})).toEqual(LOST);
    expect(await press({ kind, of: 'unknown' as TurnId }, { text: 'words of its own' })).toEqual(LOST);
  });

  test('on an answer that is being written is refused', async () => {
    const { press } = await answered({}, {}, [{ say: 'Two' }, { pause: 60_000 }]);
    expect(await press({ kind }, {})).toEqual(UNENDED);
    expect(await press({ kind }, { text: 'How long?' })).toEqual(UNENDED);
  });

  test.each([
    ['the words that the channel could read', 'How long exactly?', 'How long exactly?'],
    ['else those that were kept', ' \n ', 'How long?'],
  ])('asks %s', async (_, text, asked) => {
    const { press, books } = await answered();
    await press({ kind }, { text });
    await world.clock.pass(5_000);
    expect(books.askings.map(({ question }) => question.text)).toEqual(['How long?', asked]);
  });
});

test('a press to retry that another process handles again changes nothing, also after the new answer ended', async () => {
  const { press, books } = await answered();
  const kept = await press({ kind: 'retry' }, {});
  await world.clock.pass(60_000);
  expect(books.askings).toHaveLength(2);
  expect(await press({ kind: 'retry' }, {})).toEqual({
    kind: 'duplicate',
    turn: 'turn' in kept && kept.turn,
  });
  await world.clock.pass(60_000);
  expect(books.askings).toHaveLength(2);
});

describe('an act on an answer', () => {
  const act = (key: string): Partial<Origin> => ({ kind: 'act', key });

  test('is accepted from the answer’s room, or from the person’s own direct room if it names that room (S16)', async () => {
    const { press } = await answered();
    const from = thread();
    const own = thread(DIRECT);
    expect(await press(act('1'), { thread: thread({ room: 'other' }) })).toEqual(LOST);
    expect(
      await press({ ...act('2'), from } as Partial<Origin>, { thread: thread({ room: 'other' }) }),
    ).toEqual(LOST);
    for (const elsewhere of [{ channel: 'other' }, { tenant: 'umbrella' }]) {
      const there = thread({ ...DIRECT, ...elsewhere });
      expect(await press({ ...act('3'), from } as Partial<Origin>, { thread: there })).toEqual(LOST);
    }
    expect(await press(act('4'), { thread: own })).toEqual(LOST);
    expect(await press({ ...act('5'), from } as Partial<Origin>, { thread: own })).toMatchObject({
      kind: 'kept',
    });
    expect(await press(act('6'), {})).toMatchObject({ kind: 'kept' });
  });

  test('in a private conversation is accepted only from its own person (S17)', async () => {
    const { press } = await answered(DIRECT);
    expect(await press(act('1'), { sender: eve })).toEqual(LOST);
    expect(await press(act('2'), {})).toMatchObject({ kind: 'kept' });
  });

  test('asks the agent that it names, or else the agent of the question', async () => {
    const films: AgentName = agentName('films');
    const { press, books, films: other } = await answered({}, { agent: agentName('books') });
    await press(act('1'), { agent: films });
    await world.clock.pass(5_000);
    expect([books.askings.length, other.askings.length]).toEqual([1, 1]);
    await press(act('2'), {});
    await world.clock.pass(5_000);
    expect([books.askings.length, other.askings.length]).toEqual([2, 1]);
  });
});

describe('another version', () => {
  test('is shown in the answer’s thread; in a private one only to its own person (S16, S17)', async () => {
    const { show } = await answered(DIRECT);
    expect(await show({}, eve)).toEqual(GONE);
    for (const over of [{ key: 'd2' }, { room: 'other' }, { tenant: 'umbrella' }, { channel: 'other' }])
      expect(await show(over)).toEqual(GONE);
    expect(await show({}, person(), 'unknown' as TurnId)).toEqual(GONE);
    expect(await show({})).toMatchObject({ kind: 'kept', ahead: 0 });
  });

  test('is shown in a room to anyone', async () => {
    const { show } = await answered();
    expect(await show({}, eve)).toMatchObject({ kind: 'kept' });
  });
});

describe('an edit', () => {
  test('with the same text, except for spaces around it, is ignored', async () => {
    const { edit } = await answered();
    expect(await edit('  How long?\n')).toEqual({ kind: 'nothing' });
  });

  test('with another agent or other files is asked', async () => {
    const plain = await answered();
    expect(await plain.edit('How long?', { agent: agentName('films') })).toMatchObject({ kind: 'kept' });
    world.close();
    const two = await answered({}, { files: [file('a'), file('b')] });
    expect(await two.edit('How long?')).toEqual({ kind: 'nothing' });
    expect(await two.edit('How long?', { files: [file('a')] })).toMatchObject({ kind: 'kept' });
    world.close();
    const other = await answered({}, { files: [file('a')] });
    expect(await other.edit('How long?', { files: [file('c')] })).toMatchObject({ kind: 'kept' });
  });

  test('of a message that was never asked is asked only if the edit added the mention', async () => {
    const { edit } = await answered();
    expect(await edit('New', { id: 'unknown' })).toEqual({ kind: 'nothing' });
    expect(await edit('New', { id: 'unknown' }, true)).toMatchObject({ kind: 'kept' });
  });

  test('of an asked question continues in its reply, even if the edit added a mention', async () => {
    const { process, turn, edit } = await answered();
    const kept = await edit('How short?', {}, true);
    expect(kept.kind === 'kept' && (await process.inbox.find(kept.turn))?.reply).toBe(turn);
  });
});
