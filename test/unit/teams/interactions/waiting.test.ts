import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { words as core } from '../../../../src/core/words.ts';
import { actionWords } from '../../../../src/kit/ladder.ts';
import { turnId } from '../../../../src/kit.ts';
import { type Conversation, type FakePerson, sporadic, visibleText } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { answer, turnOf } from './rig.ts';

let rig: Rig;
let room: Conversation;
let asker: FakePerson;

beforeEach(async () => {
  rig = await startRig();
  room = rig.fake.tenant().team().channel();
  asker = rig.fake.tenant().person();
});
afterEach(() => rig.close());

const WITHIN_MS = 90_000;
const notes = () =>
  rig.fake.screen(room).flatMap((seen) => {
    const text = visibleText(seen);
    return text.startsWith('I have your question.') ? [{ text, root: seen.root }] : [];
  });
const eventually = (context: () => unknown) => expect.poll(context, { timeout: WITHIN_MS });

const NEXT = turnId('next');

/** Returns a question that waits behind another one. */
const asked = async () => {
  const { thread, root } = await answer(rig, asker, room);
  rig.waiting.add(NEXT);
  return { root, turn: turnOf(thread, '77', asker, NEXT) };
};

it('posts a note that a question waits, and deletes it when the turn begins', async () => {
  const { root, turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 2);
  await eventually(notes).toEqual([
    {
      text: 'I have your question. I answer 2 other questions first, then yours.\n[Ask this instead]',
      root,
    },
  ]);
  // The turn is still in `waiting`, so only the start of its writer can have deleted the note, not a periodic check.
  rig.adapter.writer(turn);
  await eventually(notes).toEqual([]);
});

it('deletes the note if the turn ends before it begins', async () => {
  const { turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 1);
  await eventually(notes).toHaveLength(1);
  rig.waiting.delete(NEXT);
  await eventually(notes).toEqual([]);
});

it('deletes the note after the process was killed', async () => {
  const { turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 1);
  await eventually(notes).toHaveLength(1);
  await eventually(() => JSON.stringify(rig.state.get('waiting notes'))).toContain('"id"');
  await rig.restart();
  rig.waiting.delete(NEXT);
  await eventually(notes).toEqual([]);
});

it.each(Object.entries(sporadic))('deletes the note although Teams refuses once: %s', async (_, fault) => {
  const { turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 1);
  await eventually(notes).toHaveLength(1);
  const planted = rig.fake.plant({ ...fault, method: 'delete' });
  rig.waiting.delete(NEXT);
  await eventually(notes).toEqual([]);
  expect(planted.hits).toBe(1);
});

it('posts no note if the turn has begun meanwhile', async () => {
  const { turn } = await asked();
  rig.waiting.delete(NEXT);
  await rig.adapter.abilities.waiting?.say(turn, 1);
  await eventually(() => rig.state.get('waiting notes')).toEqual([]);
  expect(notes()).toEqual([]);
});

/** Returns the note's message. */
const noteOf = () => {
  const [found] = rig.fake
    .messages(room)
    .filter(({ shown }) => /I have your question/.test(JSON.stringify(shown)));
  if (found === undefined) throw new Error('there is no note');
  return found;
};
const sends = () => rig.fake.log.calls.filter(({ method }) => method === 'send');

it('posts the note as a card alone, whose words stand in notifications and are read aloud', async () => {
  const { turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 1);
  await eventually(notes).toHaveLength(1);
  const said = 'I have your question. I answer one other question first, then yours.';
  const { text, summary, attachments } = sends().at(-1)?.asked as Record<string, unknown>;
  expect({ text, summary, attachments }).toMatchObject({
    text: undefined,
    summary: said,
    attachments: [{ content: { speak: said, fallbackText: said } }],
  });
});

it('has no button if the question waits for another reason than an answer before it', async () => {
  const { turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 0);
  await eventually(notes).toHaveLength(1);
  expect(notes()[0]?.text).not.toContain('Ask this instead');
  expect(noteOf().shown.attachments).toEqual([]);
});

it('is a text where Teams refuses cards', async () => {
  const { turn } = await asked();
  rig.fake.plant({ kind: 'status', status: 400, method: 'send', only: 'AdaptiveCard', count: 10 });
  await rig.adapter.abilities.waiting?.say(turn, 2);
  await eventually(notes).toHaveLength(1);
  expect(noteOf().shown).toMatchObject({ textFormat: 'plain', attachments: [] });
  rig.waiting.delete(NEXT);
  await eventually(notes).toEqual([]);
});

it('asks the waiting question when its author presses the button, and refuses other people kindly', async () => {
  const { turn } = await asked();
  await rig.adapter.abilities.waiting?.say(turn, 1);
  await eventually(notes).toHaveLength(1);
  const other = rig.fake.tenant().person();
  other.says(room, 'Hello', { silent: true });
  const tellUser = core.notYourQuestion;
  rig.kept = (event) =>
    event.kind === 'instead' && event.by.id === asker.aadObjectId
      ? { kind: 'stopped' }
      : { kind: 'refused', tellUser };
  const press = async (person: FakePerson) =>
    (await person.presses(noteOf(), 'Ask this instead').answer)?.value;
  expect(await press(other)).toBe(tellUser);
  expect(await press(asker)).toBe(actionWords.insteadNext);
  const { thread } = turn.message;
  expect(rig.taken).toMatchObject([
    { kind: 'instead', turn: NEXT, thread, by: { id: other.aadObjectId } },
    { kind: 'instead', turn: NEXT, thread, by: { id: asker.aadObjectId } },
  ]);
  expect(notes()).toHaveLength(1);
});

describe('if messages may be read', () => {
  beforeEach(async () => {
    await rig.close();
    rig = await startRig({ config: { allMessages: true } });
    const tenant = rig.fake.tenant();
    room = tenant.team({ consents: ['ChannelMessage.Read.Group'] }).channel();
    asker = tenant.person();
  });

  const kinds = ['gateway', 'reset'] as const;
  it.each(
    kinds.flatMap((kind) => [0, 1, 2].map((ahead) => [kind, ahead] as const)),
  )('looks up an unconfirmed note (%s, %d questions before)', async (kind, ahead) => {
    const { turn } = await asked();
    rig.fake.plant({ kind, method: 'send', count: 1 });
    await rig.adapter.abilities.waiting?.say(turn, ahead);
    await eventually(notes).toHaveLength(1);
    expect(JSON.stringify(rig.state.get('waiting notes'))).not.toContain('"id"');
    await rig.restart();
    rig.waiting.delete(NEXT);
    await eventually(notes).toEqual([]);
  });

  it('looks up an unconfirmed note of an earlier version, which is a text', async () => {
    const { turn } = await asked();
    rig.fake.plant({ kind: 'status', status: 400, method: 'send', only: 'AdaptiveCard', count: 10 });
    rig.fake.plant({ kind: 'reset', method: 'send', except: 'AdaptiveCard' });
    await rig.adapter.abilities.waiting?.say(turn, 2);
    await eventually(notes).toHaveLength(1);
    expect(noteOf().shown.attachments).toEqual([]);
    await rig.restart();
    rig.waiting.delete(NEXT);
    await eventually(notes).toEqual([]);
  });
});
