/** Tests conversations, members, teams, files and targeted messages of the fake Teams, and its Graph. */

import { describe, expect, test } from 'vitest';
import { askToken, call, fakeTeams, remove, send, update } from './wire.ts';

test('a chat is opened only with a person who has the app', async () => {
  const fake = await fakeTeams({ tenants: [{}, {}] });
  const tenant = fake.tenant();
  const person = tenant.person();
  const open = (more: object = {}) =>
    call(fake, 'conversations', {
      verb: 'POST',
      body: { bot: { id: fake.app.botId }, members: [{ id: person.id }], tenantId: tenant.id, ...more },
    });
  expect(await open()).toMatchObject({ status: 403, code: 'ForbiddenOperationException' });
  const chat = person.dm();
  expect(await open()).toMatchObject({ status: 201, body: { id: chat.id } });
  expect((await open({ tenantId: fake.tenant(1).id })).status).toBe(403);
  expect((await open({ tenantId: undefined })).status).toBe(400);
  expect((await open({ members: [] })).status).toBe(400);
  expect((await open({ members: [{ id: '29:nobody' }] })).status).toBe(400);
});

test('a thread is opened in a channel', async () => {
  const fake = await fakeTeams();
  const tenant = fake.tenant();
  const channel = tenant.team().channel();
  const body = {
    isGroup: true,
    tenantId: tenant.id,
    channelData: { channel: { id: channel.id } },
    activity: { type: 'message', text: 'Good morning' },
  };
  const { body: made } = await call(fake, 'conversations', { verb: 'POST', body });
  expect(made.id).toBe(`${channel.id};messageid=${String(made.activityId)}`);
  expect(fake.screen(channel)).toMatchObject([{ id: made.activityId, text: 'Good morning' }]);
});

test('members are read by their id, and in pages', async () => {
  const fake = await fakeTeams({ limits: { off: true } });
  const tenant = fake.tenant();
  const people = Array.from({ length: 60 }, () => tenant.person({ role: 'guest' }));
  const chat = tenant.chat({ members: people });
  const [person] = people;
  const of = (id: string) => call(fake, `conversations/${chat.id}/members/${encodeURIComponent(id)}`);
  const byId = await of(person?.id ?? '');
  expect(byId.body).toMatchObject({ objectId: person?.aadObjectId, email: person?.email, userRole: 'guest' });
  expect(await of(person?.aadObjectId ?? '')).toMatchObject({ status: 404 });
  expect(await of('29:nobody')).toMatchObject({ status: 404, code: 'MemberNotFoundInConversation' });
  const first = await call(fake, `conversations/${chat.id}/pagedmembers?pageSize=50`);
  expect(first.body.members).toHaveLength(50);
  const next = String(first.body.continuationToken);
  const last = await call(
    fake,
    `conversations/${chat.id}/pagedmembers?pageSize=50&continuationToken=${next}`,
  );
  expect(last.body).toEqual({ members: expect.objectContaining({ length: 10 }) });
});

test('a team’s group and channels are read', async () => {
  const fake = await fakeTeams();
  const team = fake.tenant().team({ name: 'Sales' });
  const channel = team.channel({ name: 'leads' });
  expect((await call(fake, `teams/${team.id}`)).body).toMatchObject({
    name: 'Sales',
    aadGroupId: team.aadGroupId,
  });
  expect((await call(fake, `teams/${team.id}/conversations`)).body).toEqual({
    conversations: [{ id: team.id }, { id: channel.id, name: 'leads' }],
  });
  team.installed = false;
  expect(await send(fake, channel, {})).toMatchObject({ status: 403, code: 'BotNotInConversationRoster' });
});

describe('a targeted message', () => {
  test('is seen by one person of a group', async () => {
    const fake = await fakeTeams();
    const tenant = fake.tenant();
    const person = tenant.person({ name: 'Engineer' });
    const other = tenant.person();
    const chat = tenant.chat({ members: [person] });
    const path = `conversations/${chat.id}/activities`;
    const post = (recipient?: object) =>
      call(fake, `${path}?isTargetedActivity=true`, {
        verb: 'POST',
        body: { type: 'message', text: 'For you', ...(recipient === undefined ? {} : { recipient }) },
      });
    const sent = await post({ id: person.id });
    expect(fake.screen(chat)).toMatchObject([{ text: 'For you', onlyFor: 'Engineer' }]);
    expect((await post()).status).toBe(400);
    expect((await post({ id: other.id })).status).toBe(400);
    const change = (body: object) =>
      call(fake, `${path}/${String(sent.body.id)}?isTargetedActivity=true`, { verb: 'PUT', body });
    expect((await change({ type: 'message', text: 'Changed' })).status).toBe(200);
    expect((await change({ type: 'message', text: 'x', recipient: { id: person.id } })).status).toBe(400);
    expect((await update(fake, chat, String(sent.body.id), { text: 'x' })).status).toBe(404);
    expect((await remove(fake, chat, String(sent.body.id))).status).toBe(404);
  });

  test('is refused in a personal chat', async () => {
    const fake = await fakeTeams();
    const person = fake.tenant().person();
    const path = `conversations/${person.dm().id}/activities?isTargetedActivity=true`;
    const body = { type: 'message', text: 'x', recipient: { id: person.id } };
    expect((await call(fake, path, { verb: 'POST', body })).status).toBe(400);
  });
});

describe('Graph', () => {
  const ask = async (fake: Awaited<ReturnType<typeof fakeTeams>>, path: string) => {
    const scope = 'https://graph.microsoft.com/.default';
    const token = String((await askToken(fake, { scope })).body.access_token);
    const answer = await fetch(`${fake.services.graph}/v1.0/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, body: (await answer.json()) as { value?: Record<string, unknown>[] } };
  };

  test('returns the messages of a channel with consent, as HTML', async () => {
    const fake = await fakeTeams();
    const tenant = fake.tenant();
    const team = tenant.team({ consents: ['ChannelMessage.Read.Group'] });
    const channel = team.channel();
    const { message } = tenant.person().mentions(channel, 'What now?');
    const card = { type: 'AdaptiveCard', version: '1.5', body: [{ type: 'TextBlock', text: 'x' }] };
    const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content: card }];
    await send(fake, { ...channel, thread: message.id }, { text: '**This**', attachments });
    const path = `teams/${team.aadGroupId}/channels/${encodeURIComponent(channel.id)}/messages`;
    expect((await ask(fake, path)).body.value).toMatchObject([
      { id: message.id, from: { application: null } },
    ]);
    expect((await ask(fake, `${path}/${message.id}/replies`)).body.value).toMatchObject([
      {
        replyToId: message.id,
        from: { application: { id: fake.app.id } },
        body: { contentType: 'html', content: expect.stringContaining('<strong>This</strong>') },
        attachments: [{ content: JSON.stringify(card) }],
      },
    ]);
  });

  test('returns no messages without consent, and none of personal chats', async () => {
    const fake = await fakeTeams();
    const tenant = fake.tenant();
    const team = tenant.team();
    const channel = team.channel();
    const path = `teams/${team.aadGroupId}/channels/${encodeURIComponent(channel.id)}/messages`;
    expect((await ask(fake, path)).status).toBe(403);
    const chat = tenant.chat();
    expect((await ask(fake, `chats/${encodeURIComponent(chat.id)}/messages`)).status).toBe(403);
    chat.consents.add('ChatMessage.Read.Chat');
    expect((await ask(fake, `chats/${encodeURIComponent(chat.id)}/messages`)).status).toBe(200);
    const dm = tenant.person().dm();
    expect((await ask(fake, `chats/${encodeURIComponent(dm.id)}/messages`)).status).toBe(404);
  });
});
