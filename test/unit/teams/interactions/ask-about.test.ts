/** Tests the command "Ask an agent about this" in the menu of a message, over HTTP. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentName } from '../../../../src/kit/ladder.ts';
import type { Conversation, FakePerson, FakeTenant, Message } from '../../../fakes/teams/index.ts';
import { type Rig, startRig } from '../rig.ts';
import { documentOf, turnOf, write } from './rig.ts';

let rig: Rig;
let tenant: FakeTenant;
let ada: FakePerson;
let ben: FakePerson;

const open = async (targeted: boolean) => {
  rig = await startRig({ config: { targeted } });
  tenant = rig.fake.tenant();
  ada = tenant.person({ name: 'Ada' });
  ben = tenant.person({ name: 'Ben' });
  ada.dm();
};
beforeEach(() => open(false));
afterEach(() => rig.close());

const WORDS = 'The <gate> closes & opens\nat six.';
const chatOf = (installed = true) => tenant.chat({ members: [ada, ben], installed });
const said = (place: Conversation, words = WORDS): Message => ben.says(place, words).message;
const sentence = async (answer: Promise<object | undefined>) =>
  ((await answer) as { task?: { value?: unknown } } | undefined)?.task?.value;
const ask = async (message: Message, inputs: Record<string, string> = {}) =>
  sentence((await ada.opens(message, 'askAbout').sends(inputs)).answer);
const asked = () => rig.taken.flatMap((each) => (each.kind === 'ask' ? [each.message] : []));

test('opens a form with the message, which asks in the person’s chat with the app', async () => {
  const message = said(chatOf());
  const form = JSON.stringify(await ada.opens(message, 'askAbout').form.answer);
  expect(form).toContain('Ben: The <gate> closes & opens at six.');
  expect(form).toContain('Please explain this message.');
  // With one agent, there is no choice.
  expect(form).not.toContain('ChoiceSet');
  expect(await ask(message, { question: 'When does it open?' })).toContain('our personal chat');
  const { id: room } = ada.dm();
  expect(asked()).toMatchObject([
    {
      text: 'When does it open?',
      thread: { room, key: room, kind: 'direct' },
      sender: { id: ada.aadObjectId, account: ada.id },
      quoted: [{ author: 'Ben', text: WORDS.replace('\n', '\n\n') }],
    },
  ]);
  expect(rig.fake.messages(message.conversation)).toHaveLength(1);
});

test('also works in a conversation without the app, and posts the question above its answer', async () => {
  const message = said(chatOf(false));
  await ask(message);
  const [first] = asked();
  if (first === undefined) throw new Error('nothing was asked');
  await write(rig, { ...turnOf(first.thread, '1', ada), message: first }, documentOf());
  await expect
    .poll(() => rig.fake.screen(ada.dm()).map(({ text }) => text))
    .toContain('**Your question about a message by Ben:**\n\n> Please explain this message.');
});

test('tells a refusal that comes after the response in the person’s chat only, and once', async () => {
  const message = said(chatOf());
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.kept = () => promise.then(() => ({ kind: 'refused', tellUser: 'Please ask later.' }));
  expect(await ask(message)).toBe('One moment…');
  resolve();
  const notes = () => rig.fake.screen(ada.dm()).filter(({ by }) => by === 'app');
  await expect.poll(() => notes().map(({ text }) => text)).toEqual(['Please ask later.']);
  expect(rig.fake.messages(message.conversation)).toHaveLength(1);
});

test('asks once, although Teams repeats the form', async () => {
  const sent = await ada.opens(said(chatOf()), 'askAbout').sends({});
  await sent.answer;
  await rig.fake.events.again(sent.delivery).done;
  const keys = rig.taken.map((each) => each.kind === 'ask' && each.origin.key);
  expect(new Set(keys).size).toBe(1);
});

test('asks once, although the person sends the form twice', async () => {
  const place = chatOf();
  const opened = JSON.stringify(await ada.opens(said(place), 'askAbout').form.answer);
  const [, form = ''] = /"form":"([^"]+)"/.exec(opened) ?? [];
  for (const question of ['Why?', 'Why?'])
    await ada.invokes(place, 'composeExtension/submitAction', {
      commandId: 'askAbout',
      data: { form, question },
    }).done;
  const keys = rig.taken.map((each) => each.kind === 'ask' && each.origin.key);
  expect([keys.length, new Set(keys).size, new Set(asked().map(({ id }) => id)).size]).toEqual([2, 1, 1]);
});

describe('with targeted messages', () => {
  beforeEach(async () => {
    await rig.close();
    await open(true);
  });

  test('answers privately in the thread of the message if the app is there', async () => {
    const channel = tenant.team().channel();
    channel.members.add(ada.aadObjectId);
    const { message, delivery } = ben.mentions(channel, 'Which colour?');
    await delivery?.done;
    rig.taken.length = 0;
    expect(await ask(message)).toContain('Only you will see');
    expect(asked()[0]?.thread).toMatchObject({ room: channel.id, kind: 'direct' });
    expect(asked()[0]?.thread.key).toContain(message.id);
  });

  test('answers in the chat with the app where the app is not', async () => {
    await ask(said(chatOf(false)));
    expect(asked()[0]?.thread.room).toBe(ada.dm().id);
  });
});

describe('says why it asks nothing', () => {
  test('a message without text', async () => {
    expect(await sentence(ada.opens(said(chatOf(), ' '), 'askAbout').form.answer)).toContain('no text');
  });

  test('a person who has not added the app', async () => {
    ada.dm().installed = false;
    expect(await ask(said(chatOf()))).toContain('Add me there first');
    expect(asked()).toEqual([]);
  });

  test('a form of another person, or an invented one', async () => {
    const form = JSON.stringify(await ada.opens(said(chatOf()), 'askAbout').form.answer);
    const [, id = ''] = /"form":"([^"]+)"/.exec(form) ?? [];
    for (const stolen of [id, 'invented'])
      await ben.invokes(ben.dm(), 'composeExtension/submitAction', {
        commandId: 'askAbout',
        data: { form: stolen, question: 'What is it?' },
      }).done;
    expect(asked()).toEqual([]);
  });
});

test('an agent that was chosen answers, and an unknown one is ignored', async () => {
  const message = said(chatOf());
  await ask(message, { agent: 'knowledge' });
  await ask(message, { agent: 'nobody' });
  expect(asked().map(({ agent }) => agent)).toEqual([agentName('knowledge'), undefined]);
});

test('another command of a message is not answered', async () => {
  const value = { commandId: 'other', messagePayload: {} };
  expect((await ada.invokes(ada.dm(), 'composeExtension/fetchTask', value).done)?.status).toBe(501);
});
