/** Tests what people do in the fake Teams, and the activities that the app receives. */

import { describe, expect, test } from 'vitest';
import type { Delivery, FakeTeams } from '../../fakes/teams/index.ts';
import { fakeTeams, type SmallBot, send, smallBot, tokenOf, update } from './wire.ts';

interface Told {
  readonly bot: SmallBot;
  readonly fake: FakeTeams;
  /** Waits for the deliveries and returns the last received activity. */
  last(...deliveries: (Delivery | undefined)[]): Promise<Record<string, unknown> | undefined>;
}

async function listening(): Promise<Told> {
  const bot = await smallBot();
  const fake = await fakeTeams({ deliverTo: bot.url, limits: { off: true } });
  return {
    bot,
    fake,
    last: async (...deliveries) => {
      await Promise.all(deliveries.map((each) => each?.done));
      return bot.received.at(-1)?.body;
    },
  };
}

const eventType = (activity: Record<string, unknown> | undefined) =>
  (activity?.channelData as { eventType?: string } | undefined)?.eventType;

describe('a message', () => {
  test('reaches the app in a personal chat, and elsewhere if it mentions the app or owners consented', async () => {
    const { bot, fake, last } = await listening();
    const tenant = fake.tenant();
    const person = tenant.person();
    const chat = tenant.chat({ members: [person] });
    expect(person.says(chat, 'Hello all').delivery).toBeUndefined();
    await last(person.says(person.dm(), 'Hello').delivery, person.mentions(chat, 'Hello').delivery);
    chat.consents.add('ChatMessage.Read.Chat');
    await last(person.says(chat, 'Hello all').delivery);
    chat.installed = false;
    expect(person.mentions(chat, 'Hello').delivery).toBeUndefined();
    expect(bot.received.map(({ body }) => body.text)).toHaveLength(3);
  });

  test('contains mentions as entities, and an HTML copy', async () => {
    const { fake, last } = await listening();
    const tenant = fake.tenant();
    const person = tenant.person({ name: 'Engineer' });
    const other = tenant.person({ name: 'Reviewer' });
    const channel = tenant.team().channel();
    const text = 'What would <at>Reviewer</at> say of a < b?\nAnd c?';
    expect(await last(person.mentions(channel, text).delivery)).toMatchObject({
      text: `<at>Parley</at> ${text}`,
      entities: [
        { type: 'mention', mentioned: { id: fake.app.botId } },
        { type: 'mention', text: '<at>Reviewer</at>', mentioned: { id: other.id, name: 'Reviewer' } },
        { type: 'clientInfo' },
      ],
      attachments: [
        {
          contentType: 'text/html',
          content: expect.stringMatching(
            /<p><span [^>]*itemid="0">Parley<\/span> .*a &lt; b\?<\/p><p>And c\?<\/p>/,
          ),
        },
      ],
    });
  });

  test('quotes another message in a chat, and belongs to a thread in a channel', async () => {
    const { fake, last } = await listening();
    const tenant = fake.tenant();
    const person = tenant.person();
    const dm = person.dm();
    const { body } = await send(fake, dm, { text: 'An answer' });
    const [answer] = fake.messages(dm);
    expect(
      await last(person.says(dm, 'Why?', answer === undefined ? {} : { quoting: answer }).delivery),
    ).toMatchObject({
      text: 'Why?',
      attachments: [
        { contentType: 'messageReference', id: body.id, content: expect.stringContaining('An answer') },
        { content: expect.stringContaining('<blockquote') },
      ],
    });
    const channel = tenant.team().channel();
    const { message } = person.mentions(channel, 'One');
    const id = `${channel.id};messageid=${message.id}`;
    const reply = await last(person.mentions(channel, 'Two', { thread: message.id }).delivery);
    expect(reply).toMatchObject({ conversation: { id } });
  });

  test('is edited, deleted and restored', async () => {
    const { fake, last } = await listening();
    const person = fake.tenant().person();
    const dm = person.dm();
    const { message } = person.says(dm, 'Frist');
    const edited = await last(person.edits(message, 'First'));
    expect([edited?.type, edited?.id, edited?.text, eventType(edited)]).toEqual([
      'messageUpdate',
      message.id,
      'First',
      'editMessage',
    ]);
    const deleted = await last(person.deletes(message));
    expect([deleted?.type, deleted?.id, eventType(deleted)]).toEqual([
      'messageDelete',
      message.id,
      'softDeleteMessage',
    ]);
    expect(fake.screen(dm)).toEqual([]);
    expect(eventType(await last(person.restores(message)))).toBe('undeleteMessage');
    expect(fake.screen(dm)).toMatchObject([{ text: 'First' }]);
  });

  test('of the app is deleted without an event', async () => {
    const { fake } = await listening();
    const person = fake.tenant().person();
    const dm = person.dm();
    await send(fake, dm, {});
    const [answer] = fake.messages(dm);
    if (answer === undefined) throw new Error('nothing was sent');
    expect(person.deletes(answer)).toBeUndefined();
    expect(answer).toMatchObject({ deletedBy: 'person' });
    expect((await send(fake, dm, {})).status).toBe(201);
  });
});

describe('files', () => {
  test('a pasted picture requires the app’s token', async () => {
    const { fake, last } = await listening();
    const person = fake.tenant().person();
    const activity = await last(person.says(person.dm(), 'Look', { pictures: [{}] }).delivery);
    const [picture] = activity?.attachments as { contentType: string; contentUrl: string }[];
    expect(picture?.contentType).toBe('image/*');
    const url = picture?.contentUrl ?? '';
    expect((await fetch(url)).status).toBe(401);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${await tokenOf(fake)}` } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  });

  test('an attached file has a link that must get no token', async () => {
    const { fake, last } = await listening();
    const tenant = fake.tenant();
    const person = tenant.person();
    const file = { name: 'plan.txt', contentType: 'text/plain', bytes: Buffer.from('the plan') };
    const activity = await last(person.says(person.dm(), 'Read', { files: [file] }).delivery);
    const [attached] = activity?.attachments as { contentType: string; content: Record<string, string> }[];
    expect(attached).toMatchObject({
      contentType: 'application/vnd.microsoft.teams.file.download.info',
      name: 'plan.txt',
      content: { fileType: 'txt' },
    });
    const url = attached?.content.downloadUrl ?? '';
    expect(await (await fetch(url)).text()).toBe('the plan');
    expect(await (await fetch(url.replace(/tempauth=.*/, 'tempauth=x'))).text()).toContain('Sign in');
    expect(fake.log.violations).toEqual([]);
    await fetch(url, { headers: { authorization: 'Bearer x' } });
    expect(fake.log.violations).toMatchObject([{ messages: ['a token came to the host of files'] }]);
    const chat = tenant.chat({ members: [person] });
    const there = await last(person.mentions(chat, 'Read', { files: [file] }).delivery);
    expect(there?.attachments).toMatchObject([
      { contentType: 'text/html', content: expect.stringContaining('<attachment id=') },
    ]);
  });

  test.each([
    ['html', 200, 'text/html; charset=utf-8'],
    ['expired', 403, null],
    ['foreign', 302, null],
    ['redirect', 302, null],
  ] as const)('a link can be %s', async (odd, status, type) => {
    const { fake, last } = await listening();
    const person = fake.tenant().person();
    const activity = await last(person.says(person.dm(), 'Read', { files: [{ odd }] }).delivery);
    const [attached] = activity?.attachments as { content: Record<string, string> }[];
    const answer = await fetch(attached?.content.downloadUrl ?? '', { redirect: 'manual' });
    expect(answer.status).toBe(status);
    if (type !== null) expect(answer.headers.get('content-type')).toBe(type);
    if (odd === 'foreign') expect(answer.headers.get('location')).toContain(fake.elsewhere.url);
  });
});

test('the app is added and removed', async () => {
  const { bot, fake, last } = await listening();
  const tenant = fake.tenant();
  const person = tenant.person();
  const channel = tenant.team({ installed: false }).channel();
  expect(await send(fake, channel, {})).toMatchObject({ status: 403 });
  await last(...person.installs(channel));
  expect(bot.received.map(({ body }) => body.type).toSorted()).toEqual([
    'conversationUpdate',
    'installationUpdate',
  ]);
  expect((await send(fake, channel, {})).status).toBe(201);
  expect(await last(...person.removes(channel))).toMatchObject({
    type: 'installationUpdate',
    action: 'remove',
  });
  expect(await send(fake, channel, {})).toMatchObject({ status: 403, code: 'BotNotInConversationRoster' });
  await last(...person.installs());
  expect((await send(fake, person.dm(), {})).status).toBe(201);
});

describe('a card', () => {
  const press = { type: 'Action.Execute', title: 'Go', verb: 'parley.go', data: { kind: 'go' } };
  const card = (more: object = {}) => ({
    type: 'AdaptiveCard',
    version: '1.5',
    body: [{ type: 'Input.Text', id: 'words' }],
    actions: [press, { type: 'Action.Submit', title: 'Send', data: { kind: 'send' } }],
    ...more,
  });
  const shown = async (told: Told, content: object) => {
    const person = told.fake.tenant().person();
    const chat = told.fake.tenant().chat({ members: [person] });
    await send(told.fake, chat, {
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }],
    });
    const [message] = told.fake.messages(chat);
    if (message === undefined) throw new Error('nothing was sent');
    return { person, message };
  };
  const answerOf = (value: unknown, type = 'application/vnd.microsoft.card.adaptive') =>
    JSON.stringify({ statusCode: 200, type, value });

  test('sends its inputs as a message without text', async () => {
    const told = await listening();
    const { person, message } = await shown(told, card());
    await person.presses(message, 'Send', { words: 'now' }).delivery.done;
    const activity = told.bot.received.at(-1)?.body;
    expect(activity).toMatchObject({
      type: 'message',
      replyToId: message.id,
      value: { kind: 'send', words: 'now' },
    });
    expect(activity).not.toHaveProperty('text');
  });

  test('requests its refresh when one of its people sees it', async () => {
    const told = await listening();
    const { person, message } = await shown(told, card());
    expect(person.looks(message)).toBeUndefined();
    const own = await shown(told, card({ refresh: { action: press, userIds: [] } }));
    expect(own.person.looks(own.message)).toBeUndefined();
    (
      own.message.shown.attachments[0] as { content: { refresh: { userIds: string[] } } }
    ).content.refresh.userIds.push(own.person.id);
    await own.person.looks(own.message)?.answer;
    expect(told.bot.received.at(-1)?.body).toMatchObject({ value: { trigger: 'automatic' } });
  });

  test.each([
    ['empty', '', 'statusCode'],
    ['a page', '<html>', 'no JSON'],
    ['a type of its own', answerOf('x', 'text/plain'), 'text/plain'],
    ['a card that cannot be shown', answerOf({ type: 'AdaptiveCard', version: '9' }), 'card.version'],
    [
      'a message that is not a text',
      answerOf({}, 'application/vnd.microsoft.activity.message'),
      'not a text',
    ],
    ['an error without a code', answerOf({}, 'application/vnd.microsoft.error'), 'no code'],
  ])('records a violation if the response is %s', async (_, reply, message) => {
    const told = await listening();
    told.bot.reply = reply;
    const { person, message: there } = await shown(told, card());
    await person.presses(there, 'Go').answer;
    expect(told.fake.log.violations).toMatchObject([{ messages: [expect.stringContaining(message)] }]);
  });
});

describe('thumbs', () => {
  const rated = async (told: Told, type: string) => {
    const person = told.fake.tenant().person();
    const dm = person.dm();
    await send(told.fake, dm, { channelData: { feedbackLoop: { type } } });
    const [message] = told.fake.messages(dm);
    if (message === undefined) throw new Error('nothing was sent');
    return { person, message };
  };

  test('use Teams’ form, and require an empty response', async () => {
    const told = await listening();
    const { person, message } = await rated(told, 'default');
    await person.rates(message, { reaction: 'like', feedback: 'Nice' }).answer;
    expect(told.bot.received.at(-1)?.body).toMatchObject({
      type: 'invoke',
      name: 'message/submitAction',
      replyToId: message.id,
      value: {
        actionName: 'feedback',
        actionValue: { reaction: 'like', feedback: '{"feedbackText":"Nice"}' },
      },
    });
    expect(told.fake.log.violations).toEqual([]);
    told.bot.reply = '{"statusCode":200}';
    await person.rates(message, { reaction: 'dislike' }).answer;
    expect(told.fake.log.violations).toHaveLength(1);
  });
});

test('a suggestion is sent like a typed message', async () => {
  const { fake, last } = await listening();
  const person = fake.tenant().person();
  const actions = [{ type: 'imBack', title: 'More', value: 'Tell me more' }];
  await send(fake, person.dm(), { suggestedActions: { actions } });
  const [message] = fake.messages(person.dm());
  if (message === undefined) throw new Error('nothing was sent');
  expect(await last(person.picks(message, 'More').delivery)).toMatchObject({ text: 'Tell me more' });
});

test('the native Stop ends the stream, and refuses the app’s next call', async () => {
  const { fake } = await listening();
  const person = fake.tenant().person();
  const dm = person.dm();
  const typing = (text: string, info: object) =>
    send(fake, dm, { type: 'typing', text, entities: [{ type: 'streaminfo', ...info }] });
  const { body } = await typing('A brown', { streamSequence: 1 });
  expect(person.stops(dm)).toMatchObject([{ id: body.id }]);
  expect(await typing('A brown fox', { streamId: body.id, streamSequence: 2 })).toMatchObject({
    status: 403,
    code: 'ContentStreamNotAllowed',
    message: 'Content stream was canceled by user.',
  });
  expect((await update(fake, dm, String(body.id), { text: 'Something else' })).status).toBe(403);
  expect(fake.screen(dm)).toMatchObject([{ text: 'A brown', streaming: 'stopped_by_user' }]);
});

test('an activity can be delivered twice', async () => {
  const { bot, fake } = await listening();
  const person = fake.tenant().person();
  const { delivery } = person.says(person.dm(), 'Hello');
  await delivery?.done;
  if (delivery !== undefined) await fake.events.again(delivery).done;
  expect(bot.received[0]?.body).toEqual(bot.received[1]?.body);
});
