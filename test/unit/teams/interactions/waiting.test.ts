import { afterEach, beforeEach, expect, it } from 'vitest';
import { turnId } from '../../../../src/kit.ts';
import { type Conversation, type FakePerson, sporadic } from '../../../fakes/teams/index.ts';
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
afterEach(async () => {
  expect(rig.fake.log.violations).toEqual([]);
  await rig.close();
});

const WITHIN_MS = 90_000;
const notes = () =>
  rig.fake
    .screen(room)
    .flatMap(({ text, root }) => (text.startsWith('I have your question.') ? [{ text, root }] : []));
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
      text: 'I have your question. I answer 2 other questions first, then yours.',
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

it.each([
  'gateway',
  'reset',
] as const)('looks up an unconfirmed note (%s), if messages may be read', async (kind) => {
  await rig.close();
  rig = await startRig({ config: { allMessages: true } });
  const tenant = rig.fake.tenant();
  room = tenant.team({ consents: ['ChannelMessage.Read.Group'] }).channel();
  asker = tenant.person();
  const { turn } = await asked();
  rig.fake.plant({ kind, method: 'send', count: 1 });
  await rig.adapter.abilities.waiting?.say(turn, 2);
  await eventually(notes).toHaveLength(1);
  expect(JSON.stringify(rig.state.get('waiting notes'))).not.toContain('"id"');
  rig.waiting.delete(NEXT);
  await eventually(notes).toEqual([]);
});
