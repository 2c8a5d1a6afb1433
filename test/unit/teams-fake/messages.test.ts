/** Tests how people see sent, replaced and deleted messages of the app in the fake Teams. */

import { describe, expect, test } from 'vitest';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { call, fakeTeams, remove, send, smallBot, update } from './wire.ts';

test('sent, replaced and deleted messages are visible as such', async () => {
  const fake = await fakeTeams();
  const dm = fake.tenant().person().dm();
  const first = await send(fake, dm, { text: 'One' });
  expect(first).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^\d+$/) } });
  const second = await send(fake, dm, { text: 'Two' });
  expect(await update(fake, dm, first.body.id ?? '', { text: 'One, edited' })).toMatchObject({ status: 200 });
  expect(fake.screen(dm).map(({ text, edited }) => [text, edited])).toEqual([
    ['One, edited', true],
    ['Two', false],
  ]);
  expect((await remove(fake, dm, second.body.id ?? '')).status).toBe(200);
  expect(fake.screen(dm)).toHaveLength(1);
  expect(await update(fake, dm, second.body.id ?? '', { text: 'x' })).toMatchObject({
    status: 404,
    code: 'ActivityNotFoundInConversation',
  });
});

test('a conversation id leads to its thread, percent-encoded or not', async () => {
  const fake = await fakeTeams();
  const tenant = fake.tenant();
  const channel = tenant.team().channel();
  const { message } = tenant.person().mentions(channel, 'What now?');
  await send(fake, { ...channel, thread: message.id }, { text: 'encoded' });
  const bare = `conversations/${channel.id};messageid=${message.id}/activities`;
  await call(fake, bare, { verb: 'POST', body: { type: 'message', text: 'bare' } });
  await send(fake, channel, { text: 'a thread of its own' });
  const [, encoded, open, own] = fake.screen(channel);
  expect([encoded?.root, open?.root]).toEqual([message.id, message.id]);
  expect(own?.root).toBe(own?.id);
  expect(await send(fake, { ...channel, thread: '1' }, {})).toMatchObject({ status: 404 });
});

test('only messages of the app can be changed, and only in places with the app', async () => {
  const fake = await fakeTeams({ tenants: [{}, {}] });
  const tenant = fake.tenant();
  const person = tenant.person();
  const chat = tenant.chat({ members: [person] });
  const { message } = person.mentions(chat, 'mine');
  expect(await update(fake, chat, message.id, {})).toMatchObject({ code: 'ForbiddenOperationException' });
  expect(await send(fake, { ...chat, tenant: fake.tenant(1).id }, {})).toMatchObject({
    status: 404,
    code: 'ConversationNotFound',
  });
  chat.installed = false;
  expect(await send(fake, chat, {})).toMatchObject({ status: 403, code: 'BotNotInConversationRoster' });
});

test('the bot gets messages to it in signed requests', async () => {
  const bot = await smallBot();
  const fake = await fakeTeams({ deliverTo: bot.url });
  const tenant = fake.tenant();
  const person = tenant.person({ name: 'Engineer' });
  const channel = tenant.team().channel();
  person.says(channel, 'not to the app');
  const { message, delivery } = person.mentions(channel, 'What now?');
  await delivery?.done;
  expect(bot.received).toHaveLength(1);
  expect(bot.received[0]).toMatchObject({
    headers: { authorization: expect.stringMatching(/^Bearer \S+\.\S+\.\S+$/) },
    body: {
      type: 'message',
      id: message.id,
      channelId: 'msteams',
      serviceUrl: fake.serviceUrl(),
      text: '<at>Parley</at> What now?',
      from: { id: person.id, aadObjectId: person.aadObjectId, name: 'Engineer' },
      recipient: { id: fake.app.botId },
      conversation: {
        id: `${channel.id};messageid=${message.id}`,
        conversationType: 'channel',
        isGroup: true,
      },
      entities: [{ type: 'mention', text: '<at>Parley</at>' }, { type: 'clientInfo' }],
    },
  });
});

test('an event without a response within 15 seconds is repeated', async () => {
  const clock = createVirtualClock();
  const bot = await smallBot();
  bot.status = -1;
  const fake = await fakeTeams({ clock, deliverTo: bot.url });
  const person = fake.tenant().person();
  const { delivery } = person.says(person.dm(), 'Hello');
  await expect.poll(() => bot.received).toHaveLength(1);
  await clock.pass(14_999);
  expect(bot.received).toHaveLength(1);
  bot.status = 200;
  await clock.pass(1);
  await delivery?.done;
  expect(bot.received.map(({ body }) => body.id)).toHaveLength(2);
});

describe('text beside a card, as documented', () => {
  const content = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'x' }] };
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content };
  const both = { text: 'Text', attachments: [card] };

  test('becomes two messages, and the response contains no ids', async () => {
    const fake = await fakeTeams({ textBesideCards: 'split' });
    const dm = fake.tenant().person().dm();
    expect(await send(fake, dm, both)).toMatchObject({ status: 202, body: {} });
    expect(fake.screen(dm).map(({ text, cards }) => [text, cards.length])).toEqual([
      ['Text', 0],
      ['', 1],
    ]);
    expect((await send(fake, dm, { text: '', attachments: [card] })).status).toBe(201);
  });

  test('is refused as an edit and as a first message', async () => {
    const fake = await fakeTeams({ textBesideCards: 'split' });
    const tenant = fake.tenant();
    const channel = tenant.team().channel();
    const { body } = await send(fake, channel, { text: 'Text' });
    const refusal = { status: 400, message: 'Activity resulted into multiple skype activities' };
    expect(await update(fake, channel, body.id ?? '', both)).toMatchObject(refusal);
    expect((await update(fake, channel, body.id ?? '', { attachments: [card] })).status).toBe(200);
    const opening = {
      tenantId: tenant.id,
      channelData: { channel: { id: channel.id } },
      activity: { type: 'message', ...both },
    };
    expect(await call(fake, 'conversations', { verb: 'POST', body: opening })).toMatchObject(refusal);
  });

  test('may close a stream', async () => {
    const clock = createVirtualClock();
    const fake = await fakeTeams({ clock, textBesideCards: 'split' });
    const dm = fake.tenant().person().dm();
    const entity = { type: 'streaminfo', streamSequence: 1 };
    const { body } = await send(fake, dm, { type: 'typing', text: 'Te', entities: [entity] });
    await clock.pass(1_000);
    const entities = [{ type: 'streaminfo', streamType: 'final', streamId: body.id }];
    expect((await send(fake, dm, { ...both, entities })).status).toBe(202);
    expect(fake.screen(dm)).toMatchObject([
      { text: 'Text', cards: [], streaming: 'completed' },
      { text: '', cards: [content] },
    ]);
  });
});
