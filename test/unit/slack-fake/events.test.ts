/**
 * Tests the events that the fake Slack sends over HTTP: their signature, their format, and the repeated delivery of an
 * event that the app does not acknowledge.
 */

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { FakeSlack } from '../../fakes/slack/index.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { call, fakeSlack, smallApp } from './wire.ts';

const inner = (fake: FakeSlack) =>
  fake.deliveries.map(({ payload }) => payload.event as Record<string, unknown>);

test('an event is signed like Slack’s', async () => {
  const app = await smallApp();
  const fake = await fakeSlack({ deliverTo: app.url });
  const workspace = fake.workspace();
  workspace.person().says(workspace.channel(), 'Hello');
  await fake.deliveries[0]?.done;
  const [{ headers, body } = { headers: {}, body: '' }] = app.received;
  const base = `v0:${String(headers['x-slack-request-timestamp'])}:${body}`;
  const digest = createHmac('sha256', fake.app.signingSecret).update(base).digest('hex');
  expect(headers['x-slack-signature']).toBe(`v0=${digest}`);
  expect(JSON.parse(body)).toMatchObject({
    type: 'event_callback',
    team_id: workspace.id,
    api_app_id: fake.app.id,
    event: { type: 'message', text: 'Hello', channel_type: 'channel' },
    authorizations: [{ team_id: workspace.id, user_id: workspace.botUser, is_bot: true }],
  });
});

test('an unanswered event is repeated at once, after one minute and after five minutes', async () => {
  const app = await smallApp();
  const clock = createVirtualClock();
  app.status = 503;
  const fake = await fakeSlack({ clock, deliverTo: app.url });
  const workspace = fake.workspace();
  workspace.person().says(workspace.channel(), 'Hello');
  const attempts = fake.deliveries[0]?.attempts ?? [];
  const answered = (count: number) =>
    expect.poll(() => attempts.map(({ status }) => status)).toEqual(Array(count).fill(503));
  await answered(2);
  await clock.pass(60_000);
  await answered(3);
  await clock.pass(300_000);
  await answered(4);
  const start = attempts[0]?.at ?? 0;
  expect(attempts.map(({ at }) => at - start)).toEqual([0, 0, 60_000, 360_000]);
  expect(app.received.map(({ headers }) => headers['x-slack-retry-num'])).toEqual([undefined, '1', '2', '3']);
  expect(app.received[1]?.headers['x-slack-retry-reason']).toBe('http_error');
});

test('an attempt fails after three seconds without an answer', async () => {
  const app = await smallApp();
  const clock = createVirtualClock();
  app.status = -1;
  const fake = await fakeSlack({ clock, deliverTo: app.url });
  const workspace = fake.workspace();
  workspace.person().says(workspace.channel(), 'Hello');
  await expect.poll(() => app.received.length).toBe(1);
  await clock.pass(2_999);
  expect(fake.deliveries[0]?.attempts).toHaveLength(1);
  app.status = 200;
  await clock.pass(1);
  await expect.poll(() => app.received.length).toBe(2);
  expect(app.received[1]?.headers['x-slack-retry-reason']).toBe('http_timeout');
});

describe('actions of people', () => {
  const stage = async () => {
    const fake = await fakeSlack();
    const workspace = fake.workspace();
    return { fake, workspace, person: workspace.person(), channel: workspace.channel() };
  };

  test('a mention arrives as app_mention and as message, with one ts and two event ids', async () => {
    const { fake, person, channel } = await stage();
    const { ts } = person.mentions(channel, 'What now?');
    expect(inner(fake)).toMatchObject([
      { type: 'app_mention', ts },
      { type: 'message', ts, channel_type: 'channel' },
    ]);
    expect(new Set(fake.deliveries.map(({ payload }) => payload.event_id)).size).toBe(2);
  });

  test('typed text becomes rich text', async () => {
    const { fake, workspace, person, channel } = await stage();
    person.mentions(
      channel,
      'see `code` and **bold**\n- one\n- [two](https://example.com)\n> quoted :wave:\n```\nlet a;\n```',
    );
    const { text, blocks } = inner(fake)[1] ?? {};
    expect(text).toBe(
      `<@${workspace.botUser}> see \`code\` and *bold*\n• one\n• <https://example.com|two>\n&gt; quoted :wave:\n\`\`\`let a;\`\`\``,
    );
    expect(blocks).toMatchObject([
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [{ type: 'user' }, {}, { style: { code: true } }, {}, { style: { bold: true } }],
          },
          { type: 'rich_text_list', style: 'bullet' },
          { type: 'rich_text_quote' },
          { type: 'rich_text_preformatted', elements: [{ text: 'let a;' }] },
        ],
      },
    ]);
  });

  test('edits, deletions, files, homes and titles are delivered', async () => {
    const { fake, workspace, person, channel } = await stage();
    const message = person.says(channel, 'one', { files: [workspace.file({ name: 'a.png' })] });
    person.edits(message, 'two');
    person.deletes(message);
    person.opensHome('messages');
    person.renames(channel, message.ts, 'Title');
    expect(inner(fake)).toMatchObject([
      {
        subtype: 'file_share',
        files: [{ name: 'a.png', mimetype: 'image/png', url_private: expect.stringContaining(fake.url) }],
      },
      {
        subtype: 'message_changed',
        message: { text: 'two', edited: { user: person.id } },
        previous_message: { text: 'one' },
      },
      { subtype: 'message_deleted', deleted_ts: message.ts },
      { type: 'app_home_opened', tab: 'messages', channel: person.dm().id },
      { type: 'agent_session_title_changed', title: 'Title' },
    ]);
  });

  test('the app’s own posts are delivered as events, unless switched off', async () => {
    const { fake, channel } = await stage();
    await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x' });
    expect(inner(fake)).toMatchObject([
      { type: 'message', bot_id: fake.workspace().botId, app_id: fake.app.id },
    ]);
    const quiet = await fakeSlack({ echoes: false });
    const room = quiet.workspace().channel();
    const { ts } = await call(quiet, 'chat.postMessage', { channel: room.id, text: 'x' });
    await call(quiet, 'chat.update', { channel: room.id, ts, text: 'y' });
    expect(quiet.deliveries).toEqual([]);
  });

  test('no events come from rooms without the app, or without the scope', async () => {
    const { fake, workspace, person } = await stage();
    person.mentions(workspace.channel({ withApp: false }), 'Hello');
    workspace.grant(['chat:write', 'app_mentions:read']);
    person.mentions(workspace.channel(), 'Hello');
    expect(inner(fake).map(({ type }) => type)).toEqual(['app_mention']);
  });

  test('only subscribed events are delivered; without the Stop event there is a warning', async () => {
    const fake = await fakeSlack({ subscriptions: ['message.im', 'app_mention'] });
    const workspace = fake.workspace();
    const [person, channel] = [workspace.person(), workspace.channel()];
    const { ts } = person.mentions(channel, 'Hello');
    person.says(person.dm(), 'Hello');
    expect(inner(fake).map(({ type, channel_type: kind }) => kind ?? type)).toEqual(['app_mention', 'im']);
    const args = { channel_id: channel.id, thread_ts: ts, status: 'processing' };
    expect(await call(fake, 'agents.sessions.setStatus', args)).toMatchObject({
      ok: true,
      warning: 'missing_agent_session_stopped_event_subscription',
    });
  });

  test('guests, strangers and organizations are distinguished', async () => {
    const fake = await fakeSlack({ workspaces: [{ enterprise: 'E0ORG' }] });
    const workspace = fake.workspace();
    const shared = workspace.channel({ external: true });
    workspace.person({ team: 'T0OTHER' }).says(shared, 'x');
    workspace.person({ guest: 'single-channel' }).says(shared, 'x');
    expect(fake.deliveries[0]?.payload).toMatchObject({
      enterprise_id: 'E0ORG',
      is_ext_shared_channel: true,
      event: { user_team: 'T0OTHER', source_team: 'T0OTHER' },
    });
    expect(fake.deliveries[1]?.payload.event).toMatchObject({ user_profile: { is_ultra_restricted: true } });
  });

  test('a removed app receives the event, and its token is revoked', async () => {
    const { fake, workspace, channel } = await stage();
    workspace.removeApp();
    expect(inner(fake)).toMatchObject([{ type: 'tokens_revoked' }, { type: 'app_uninstalled' }]);
    const answer = await call(fake, 'chat.postMessage', { channel: channel.id, text: 'x' });
    expect(answer.error).toBe('account_inactive');
  });
});

test('requests without a workspace are delivered: verification, ssl_check, app_rate_limited', async () => {
  const app = await smallApp();
  const fake = await fakeSlack({ deliverTo: app.url });
  const { sends } = fake;
  for (const each of [sends.urlVerification('abc'), sends.sslCheck(), sends.appRateLimited('T1')])
    await each.done;
  expect(JSON.parse(app.received[0]?.body ?? '')).toMatchObject({
    type: 'url_verification',
    challenge: 'abc',
  });
  expect(new URLSearchParams(app.received[1]?.body).get('ssl_check')).toBe('1');
  expect(JSON.parse(app.received[2]?.body ?? '')).toMatchObject({ type: 'app_rate_limited', team_id: 'T1' });
});
