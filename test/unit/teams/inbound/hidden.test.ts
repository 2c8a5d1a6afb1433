/** Tests what the agent and the person learn about parts of a message that Teams does not send. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentGateway } from '../../../../src/core/agents/agent.ts';
import { makeQuestion } from '../../../../src/core/answer/question.ts';
import { agent } from '../../../fakes/samples.ts';
import type { Conversation, FakePerson } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';

let rig: Rig;
let person: FakePerson;
beforeEach(async () => {
  rig = await startRig();
  person = rig.fake.tenant().person({ name: 'Ada' });
});
afterEach(() => rig.close());

const HIDDEN = '<p></p><attachment id="5fae"></attachment>';

/** Returns the question for an agent that sees images, and the sentences for the person. */
async function asked(place: Conversation, text: string, html: string) {
  const say = place.kind === 'personal' ? person.says : person.mentions;
  await say.call(person, place, text, { html }).delivery?.done;
  const [taken] = rig.taken;
  if (taken?.kind !== 'ask') throw new Error('not asked');
  const gateway: Partial<AgentGateway> = { sees: { images: true }, uploadImages: async () => ['i'] };
  const signal = new AbortController().signal;
  const openFile = (file: Parameters<typeof rig.adapter.openFile>[0], limit: number) =>
    rig.adapter.openFile(file, limit, signal);
  return makeQuestion(taken.message, { agent: agent('books', gateway), openFile, signal });
}

test('a hidden file in the chat with the app is named, and the cure is not that chat', async () => {
  const { question, notices } = await asked(
    person.dm(),
    'what is on page two?',
    `<p>what is on page two?</p>${HIDDEN}`,
  );
  expect(question).toMatchObject({
    text: 'what is on page two?',
    omitted: ['the file without a name'],
    images: [],
  });
  expect(notices).toHaveLength(1);
  expect(notices[0]?.text).toContain('attach it again from your computer');
  expect(notices[0]?.text).not.toContain('personal chat');
});

test('a hidden file in a channel is named, and the cure is the personal chat', async () => {
  const channel = rig.fake.tenant().team().channel();
  const { question, notices } = await asked(channel, 'what is it?', `<p>what is it?</p>${HIDDEN}`);
  expect(question.omitted).toEqual(['the file without a name']);
  expect(notices.map(({ text }) => text).join()).toContain('our personal chat');
});

test('a hidden file without words asks no agent to describe an image', async () => {
  await expect(asked(person.dm(), '', HIDDEN)).rejects.toMatchObject({
    code: 'question-empty',
    tellUser: expect.stringMatching(/attach it again.*write your question/),
  });
});

test('a forward without words is a question about it', async () => {
  const html =
    '<blockquote itemtype="http://schema.skype.com/Forward"><p>Budget is five million</p></blockquote>';
  const { question } = await asked(person.dm(), 'Budget is five million', html);
  expect(question.text).not.toContain('image');
  expect(question.quoted).toEqual([{ author: 'somebody', text: 'Budget is five million' }]);
});

test('a GIF with words is named once', async () => {
  const html =
    '<p>look</p><img itemtype="http://schema.skype.com/Giphy" alt="Dance" src="https://g.example/1">';
  const { question, notices } = await asked(person.dm(), 'look', html);
  expect(question.omitted).toEqual(['the GIF Dance']);
  expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('the GIF Dance')]);
});
