/** Tests Slack's own packages with the fake Slack: each side accepts the requests and responses of the other. */

import { InstallProvider } from '@slack/oauth';
import { SocketModeClient } from '@slack/socket-mode';
import { type Logger, LogLevel, WebClient } from '@slack/web-api';
import { expect, test } from 'vitest';
import type { FakeSlack } from '../../fakes/slack/index.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { fakeSlack } from './wire.ts';

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

const client = (fake: FakeSlack, token = fake.workspace().token) =>
  new WebClient(token, {
    slackApiUrl: fake.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silent,
  });

test('the Web API client posts, streams, uploads and reads', async () => {
  const fake = await fakeSlack();
  const workspace = fake.workspace();
  const person = workspace.person();
  const channel = workspace.channel();
  const root = person.mentions(channel, 'What now?');
  const web = client(fake);
  const place = { channel: channel.id, thread_ts: root.ts };
  await web.chat.postMessage({
    ...place,
    text: 'x',
    blocks: [{ type: 'markdown', text: '**x**' }],
    unfurl_links: false,
  });
  const streamer = web.chatStream({
    ...place,
    recipient_user_id: person.id,
    recipient_team_id: workspace.id,
  });
  await streamer.append({ markdown_text: 'Hello ' });
  await streamer.append({ chunks: [{ type: 'task_update', id: 'a', title: 'Search', status: 'complete' }] });
  await streamer.stop({ markdown_text: 'world' });
  await web.filesUploadV2({
    channel_id: channel.id,
    thread_ts: root.ts,
    file: Buffer.from('bytes'),
    filename: 'a.txt',
  });
  const { messages = [] } = await web.conversations.replies({ channel: channel.id, ts: root.ts });
  expect(messages.length).toBe(4);
  expect(fake.thread(channel.id, root.ts)).toMatchObject([
    {},
    { text: 'x' },
    { markdown: 'Hello world' },
    { files: [{ name: 'a.txt' }] },
  ]);
  expect(fake.log.violations).toEqual([]);
  expect(fake.log.failed()).toEqual([]);
});

test('the Web API client recognizes the errors and the limit', async () => {
  const fake = await fakeSlack({ limits: { rates: { 'chat.update': { calls: 0, per: 60_000 } } } });
  const web = client(fake);
  await expect(web.chat.postMessage({ channel: 'C0', text: 'x' })).rejects.toMatchObject({
    code: 'slack_webapi_platform_error',
    data: { error: 'channel_not_found' },
  });
  fake.plant({ kind: 'rate', method: 'chat.update', retryAfter: 7 });
  await expect(web.chat.update({ channel: 'C0', ts: '1.1', text: 'x' })).rejects.toMatchObject({
    retryAfter: 7,
  });
});

test('Socket Mode has hello, envelopes, acknowledgements, and at most ten connections', async () => {
  const fake = await fakeSlack({ deliverTo: 'socket' });
  const workspace = fake.workspace();
  const socket = new SocketModeClient({
    appToken: fake.app.appToken,
    clientOptions: { slackApiUrl: fake.apiUrl },
    logger: silent,
  });
  const seen: unknown[] = [];
  socket.on(
    'slack_event',
    async ({
      ack,
      body,
    }: {
      ack: (answer?: object) => Promise<void>;
      body: { event?: { type: string }; command?: string };
    }) => {
      seen.push(body.event?.type ?? body.command);
      await ack(body.command === undefined ? undefined : { text: 'answered' });
    },
  );
  await socket.start();
  const person = workspace.person();
  person.says(workspace.channel(), 'Hello');
  expect((await fake.deliveries[0]?.done)?.status).toBe(200);
  const answered = await person.types(workspace.channel(), '/ask x').done;
  expect(answered?.body).toBe('{"text":"answered"}');
  expect(seen).toEqual(['message', '/ask']);
  const app = client(fake, fake.app.appToken);
  const tickets = await Promise.all(Array.from({ length: 9 }, () => app.apps.connections.open()));
  const sockets = tickets.map(({ url }) => new WebSocket(String(url)));
  await Promise.all(
    sockets.map((each) => new Promise((resolve) => each.addEventListener('open', resolve, { once: true }))),
  );
  await expect(app.apps.connections.open()).rejects.toMatchObject({ data: { error: 'too_many_websockets' } });
  for (const each of sockets) each.close();
  await socket.disconnect();
});

test('Socket Mode: the client reconnects on request', async () => {
  const fake = await fakeSlack({ deliverTo: 'socket' });
  const socket = new SocketModeClient({
    appToken: fake.app.appToken,
    clientOptions: { slackApiUrl: fake.apiUrl },
    // Milliseconds (default 5,000) before the client reconnects. It also waits this long for a pong before it drops
    // the connection.
    clientPingTimeout: 1_000,
    logger: silent,
  });
  socket.on('slack_event', ({ ack }: { ack: () => Promise<void> }) => ack());
  await socket.start();
  const again = new Promise((resolve) => socket.once('connected', resolve));
  fake.socket.disconnect('refresh_requested');
  await again;
  const workspace = fake.workspace();
  workspace.person().says(workspace.channel(), 'Hello');
  expect((await fake.deliveries[0]?.done)?.status).toBe(200);
  expect(fake.log.of('apps.connections.open').length).toBe(2);
  await socket.disconnect();
});

test('OAuth covers consent, code, installation and rotation', async () => {
  const fake = await fakeSlack({ workspaces: [{ installed: false }] });
  const workspace = fake.workspace();
  fake.oauth.rotate();
  const { clientId, clientSecret } = fake.app;
  const stored: { bot?: { token?: string; scopes?: string[] } }[] = [];
  const installer = new InstallProvider({
    clientId,
    clientSecret,
    stateSecret: 'state',
    clientOptions: { slackApiUrl: fake.apiUrl },
    authorizationUrl: `${fake.url}/oauth/v2/authorize`,
    installationStore: {
      storeInstallation: async (installation) => void stored.push(installation),
      fetchInstallation: () => Promise.reject(new Error('none')),
    },
    logger: silent,
  });
  const url = await installer.generateInstallUrl(
    { scopes: ['chat:write'], redirectUri: 'http://127.0.0.1/back' },
    false,
  );
  const consent = await fetch(url, { redirect: 'manual' });
  const code = new URL(String(consent.headers.get('location'))).searchParams.get('code') ?? '';
  const web = new WebClient(undefined, { slackApiUrl: fake.apiUrl, logger: silent });
  const grant = { client_id: clientId, client_secret: clientSecret, redirect_uri: 'http://127.0.0.1/back' };
  const first = await web.oauth.v2.access({ ...grant, code });
  expect(first).toMatchObject({ team: { id: workspace.id }, scope: 'chat:write', expires_in: 43_200 });
  await expect(web.oauth.v2.access({ ...grant, code })).rejects.toMatchObject({
    data: { error: 'invalid_code' },
  });
  const again = {
    ...grant,
    grant_type: 'refresh_token' as const,
    refresh_token: String(first.refresh_token),
  };
  const second = await web.oauth.v2.access(again);
  expect(second.access_token).not.toBe(first.access_token);
  await expect(web.oauth.v2.access(again)).rejects.toMatchObject({
    data: { error: 'invalid_refresh_token' },
  });
  expect((await client(fake, String(second.access_token)).auth.test()).team_id).toBe(workspace.id);
});

test('a code works once, for ten minutes', async () => {
  const clock = createVirtualClock();
  const fake = await fakeSlack({ clock });
  const { clientId, clientSecret } = fake.app;
  const codes = [1, 2].map(() => fake.oauth.code({ team: fake.workspace().id }));
  const take = async (code = '') => {
    const args = { client_id: clientId, client_secret: clientSecret, code };
    const answer = await fetch(`${fake.apiUrl}oauth.v2.access`, {
      method: 'POST',
      body: new URLSearchParams(args),
    });
    return ((await answer.json()) as { error?: string }).error;
  };
  await clock.pass(600_000);
  expect(await take(codes[0])).toBe(undefined);
  await clock.pass(1);
  expect(await take(codes[1])).toBe('invalid_code');
});

test('an organization installs once, and its token works in each of its workspaces', async () => {
  const fake = await fakeSlack({
    workspaces: [
      { enterprise: 'E0ORG', installed: false },
      { enterprise: 'E0ORG', installed: false },
    ],
  });
  const code = fake.oauth.code({ enterprise: 'E0ORG', scopes: ['chat:write'] });
  const web = new WebClient(undefined, { slackApiUrl: fake.apiUrl, logger: silent });
  const { clientId, clientSecret } = fake.app;
  const installed = await web.oauth.v2.access({ client_id: clientId, client_secret: clientSecret, code });
  expect(installed).toMatchObject({ is_enterprise_install: true, team: null, enterprise: { id: 'E0ORG' } });
  const channel = fake.workspace(1).channel();
  await client(fake, String(installed.access_token)).chat.postMessage({ channel: channel.id, text: 'x' });
  expect(fake.log.of('chat.postMessage')).toMatchObject([{ team: fake.workspace(1).id }]);
});
