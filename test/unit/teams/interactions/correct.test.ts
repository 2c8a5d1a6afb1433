/** Corrects answers in the fake Teams, which refuses cards that Teams would refuse. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { permissionsOf } from '../../../fakes/permissions.ts';
import type { Conversation, FakePerson, FakeTenant, Message } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { answer, documentOf } from './rig.ts';

let rig: Rig;
let tenant: FakeTenant;
let room: Conversation;
let asker: FakePerson;
beforeEach(async () => {
  rig = await startRig({ permissions: permissionsOf({ correct: ['member'] }) });
  tenant = rig.fake.tenant();
  room = tenant.team().channel();
  asker = tenant.person({ name: 'Engineer' });
});
afterEach(() => rig.close());

const QUESTION = 'Which colour is it?';
const INPUTS = { correctedQuestion: QUESTION, correctedAnswer: 'It is green.' };
const PAIR = { question: QUESTION, answer: 'It is green.', workspace: 'handbook', account: undefined };

const press = async (message: Message, what: string, inputs?: Record<string, string>) =>
  (await asker.presses(message, what, inputs).answer)?.value;
const seen = (message: Message, by = asker): string => JSON.stringify(by.cards(message));

async function open(text = 'It is **blue** [1].'): Promise<Message> {
  const { reply } = await answer(rig, asker, room, documentOf({ text, question: QUESTION }));
  await press(reply, 'Correct');
  return reply;
}

it('shows one person a form with the question and the answer, and then the answer again', async () => {
  const reply = await open();
  expect(seen(reply)).toContain(`"value":"${QUESTION}"`);
  expect(seen(reply)).toContain('"value":"It is **blue**."');
  expect(seen(reply)).toContain('knowledge workspace “handbook”');
  expect(seen(reply, tenant.person())).not.toContain('handbook');
  await press(reply, 'Back to the answer');
  expect(seen(reply)).toBe(JSON.stringify(reply.shown.attachments.map(({ content }) => content)));
});

it('stores what the person wrote, and says what the platform does with it', async () => {
  const reply = await open();
  await press(reply, 'Store', INPUTS);
  expect(rig.corrections.pairs).toEqual([PAIR]);
  expect(seen(reply)).toContain('Your correction is stored in “handbook”');
});

it('works in a personal chat', async () => {
  const dm = asker.dm();
  const { reply } = await answer(rig, asker, dm, documentOf({ question: QUESTION }));
  await press(reply, 'Correct');
  expect(seen(reply)).toContain(`"value":"${QUESTION}"`);
  await press(reply, 'Store', INPUTS);
  expect(rig.corrections.pairs).toEqual([PAIR]);
  expect(seen(reply)).toContain('Your correction is stored in “handbook”');
});

const notes = (place: Conversation) =>
  rig.fake
    .messages(place)
    .filter(({ person }) => person === undefined)
    .map(({ shown }) => shown.text);

it.each([
  ['a channel', () => room],
  ['a personal chat', () => asker.dm()],
])('tells the result in a note in %s if the platform takes longer than the press may wait', async (_where, place) => {
  const { reply } = await answer(rig, asker, place(), documentOf({ question: QUESTION }));
  await press(reply, 'Correct');
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.corrections.held = promise;
  expect(await press(reply, 'Store', INPUTS)).toContain('One moment');
  expect(seen(reply)).toContain('Correct this answer');
  const before = notes(place()).length;
  resolve();
  await expect
    .poll(() => notes(place()).slice(before))
    .toEqual([expect.stringContaining('Your correction is stored in “handbook”')]);
  expect(rig.corrections.pairs).toEqual([PAIR]);
});

it('tells a late refusal in a note, too', async () => {
  const reply = await open();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.corrections.held = promise;
  rig.corrections.platform = 'does not confirm';
  await press(reply, 'Store', INPUTS);
  const before = notes(room).length;
  resolve();
  await expect
    .poll(() => notes(room).slice(before))
    .toEqual([expect.stringContaining('may or may not be stored')]);
});

it('stores it once if Teams repeats the press, or the person presses again', async () => {
  const reply = await open();
  const pressed = asker.presses(reply, 'Store', INPUTS);
  await pressed.answer;
  await rig.fake.events.again(pressed.delivery).done;
  await press(reply, 'Back to the answer');
  await press(reply, 'Correct');
  await press(reply, 'Store', INPUTS);
  expect(rig.corrections.pairs).toHaveLength(1);
  expect(seen(reply)).toContain('It was not stored again.');
});

it.each([
  [8_000, true],
  [8_001, false],
])('an answer of %i characters', async (length, fits) => {
  const reply = await open('x'.repeat(length));
  expect(seen(reply).includes(`"value":"${'x'.repeat(length)}"`)).toBe(fits);
  expect(seen(reply).includes('The answer has 8,001 characters, too many to edit here.')).toBe(!fits);
});

it('says that the platform did not confirm the correction, and keeps the form', async () => {
  rig.corrections.platform = 'does not confirm';
  const reply = await open();
  expect(await press(reply, 'Store', INPUTS)).toContain('may or may not be stored');
  expect(seen(reply)).toContain('Correct this answer');
});

it('refuses an answer that is no longer kept', async () => {
  const reply = await open();
  rig.replies.clear();
  expect(await press(reply, 'Store', INPUTS)).toContain('too old for its buttons');
  expect(rig.corrections.pairs).toEqual([]);
});

it('is not offered if nobody may correct answers', async () => {
  await rig.close();
  rig = await startRig();
  tenant = rig.fake.tenant();
  asker = tenant.person();
  const { reply } = await answer(rig, asker, tenant.team().channel());
  expect(asker.offers(reply)).not.toContain('Correct');
  expect(asker.offers(reply)).toContain('Regenerate');
});
