/** Corrects answers in the fake Slack, which refuses forms that Slack would refuse. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ReplyDocument } from '../../../../src/kit.ts';
import { permissionsOf } from '../../../fakes/permissions.ts';
import { controlOf } from '../controls.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig({}, permissionsOf({ correct: ['member'] }));
});
afterEach(() => rig.close());

const QUESTION = 'Which colour is it?';

async function open(over: Partial<ReplyDocument> = {}, place = rig.room) {
  const { reply } = await rig.answered({ question: QUESTION, ...over }, place);
  const control = controlOf(reply.blocks, 'reply:correct');
  if (control === undefined) throw new Error('The answer has no Correct.');
  rig.asker.presses(reply, control);
  await rig.settled();
  return theView();
}

function theView() {
  const view = rig.asker.views().at(-1);
  if (view === undefined) throw new Error('no view is open');
  return view;
}

const shown = () => JSON.stringify(theView().view);

async function submit(view: ReturnType<typeof theView>, question = QUESTION, answer = 'It is green.') {
  const value = (text: string) => ({ type: 'plain_text_input', value: text });
  await rig.asker.submits(view, {
    question: { question: value(question) },
    answer: { answer: value(answer) },
  });
  await rig.settled();
}

it('opens from the menu of an answer, with the question and the answer, and says where both are stored', async () => {
  await open();
  expect(shown()).toContain(`"initial_value":"${QUESTION}"`);
  expect(shown()).toContain('"initial_value":"It is **blue** [1]."');
  expect(shown()).toContain('knowledge workspace “handbook”');
  expect(shown()).not.toContain('private_metadata":"It is');
});

it('stores what the person wrote, and says in the form what the platform does with it', async () => {
  await submit(await open());
  const pair = { question: QUESTION, answer: 'It is green.', workspace: 'handbook', account: undefined };
  expect(rig.corrections.pairs).toEqual([pair]);
  expect(shown()).toContain('Your correction is stored in “handbook”');
});

it('works in a direct message, where the answer keeps its thread', async () => {
  const dm = rig.asker.dm();
  const view = await open({}, dm);
  expect(shown()).toContain(`"initial_value":"${QUESTION}"`);
  expect(view.view.private_metadata).toContain(dm.id);
  await submit(view);
  expect(rig.corrections.pairs).toMatchObject([{ question: QUESTION, answer: 'It is green.' }]);
  expect(shown()).toContain('Your correction is stored in “handbook”');
});

it('refuses in a direct message whom the rules do not allow it there', async () => {
  await rig.close();
  rig = await openRig({}, permissionsOf({ correct: ['guest'] }));
  await open({}, rig.asker.dm());
  expect(shown()).toContain('You are not allowed to correct answers here.');
  expect(rig.corrections.pairs).toEqual([]);
});

it('stores it once if Slack repeats the request, or the person sends the form again', async () => {
  const view = await open();
  await submit(view);
  await submit(view);
  await submit(await open());
  expect(rig.corrections.pairs).toHaveLength(1);
  expect(shown()).toContain('already. It was not stored again.');
});

it.each([
  [3_000, true],
  [3_001, false],
])('an answer of %i characters', async (length, fits) => {
  const text = 'x'.repeat(length);
  await open({ text });
  expect(shown().includes(`"initial_value":"${text}"`)).toBe(fits);
  expect(shown().includes('The answer has 3,001 characters, too many to edit here.')).toBe(!fits);
});

it('says that the platform did not confirm the correction', async () => {
  rig.corrections.platform = 'does not confirm';
  await submit(await open());
  expect(shown()).toContain('may or may not be stored');
});

it('refuses an answer that is no longer kept, also after the form was opened', async () => {
  const view = await open();
  rig.replies.clear();
  await submit(view);
  expect(shown()).toContain('too old for its buttons');
  expect(rig.corrections.pairs).toEqual([]);
});

it('is not offered if nobody may correct answers', async () => {
  await rig.close();
  rig = await openRig();
  await expect(open()).rejects.toThrow('no Correct');
});
