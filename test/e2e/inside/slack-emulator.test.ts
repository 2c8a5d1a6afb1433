/**
 * Tests against a third-party emulator of Slack, which covers sign-in, people, posts, edits, threads and files. It has
 * no streams. It delivers events only inside its own process, so the test forwards them.
 */

import { createEmulator, type Emulator } from 'emulate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sign } from '../../fakes/slack/index.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const SECRET = 'an-emulated-signing-secret';
const BOT = 'xoxb-emulated-bot';
const USER = 'xoxp-emulated-user';

let slack: Emulator;
let data: DataFolder;
let parley: ParleyInside;
let channel: string;
let bot: string;
let person: string;

type Json = Readonly<Record<string, unknown>>;

async function api(method: string, token: string, args: Json = {}): Promise<Json> {
  const response = await fetch(`${slack.url}/api/${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(args),
  });
  const answer = (await response.json()) as Json;
  if (answer.ok !== true) throw new Error(`${method}: ${JSON.stringify(answer)}`);
  return answer;
}

beforeAll(async () => {
  const app = { app_id: 'A0EMULATED1', bot_id: 'B0EMULATED1', bot_user_id: 'U0EMULATED1' };
  slack = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        users: [{ name: 'engineer', real_name: 'Engineer', email: 'engineer@example.org' }],
        channels: [{ name: 'handbook' }],
        oauth_apps: [
          {
            ...app,
            client_id: '1.2',
            client_secret: 'emulated',
            name: 'Parley',
            bot_name: 'parley',
            redirect_uris: [],
            scopes: [
              'app_mentions:read',
              'channels:history',
              'chat:write',
              'files:read',
              'files:write',
              'reactions:write',
              'users:read',
            ],
          },
        ],
        tokens: [
          { token: BOT, type: 'bot', user_id: app.bot_user_id, client_id: '1.2', ...app },
          { token: USER, type: 'user', user: 'engineer' },
        ],
        strict_scopes: false,
      },
    },
  });
  const channels = (await api('conversations.list', USER)).channels as readonly Json[];
  channel = String(channels.find(({ name }) => name === 'handbook')?.id);
  bot = String((await api('auth.test', BOT)).user_id);
  person = String((await api('auth.test', USER)).user_id);
  data = await makeDataFolder();
  parley = await runInside(data, {
    SLACK_BOT_TOKEN: BOT,
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_API_URL: `${slack.url}/api/`,
  });
});

afterAll(async () => {
  await parley?.stop();
  await slack?.close();
  await data?.remove();
});

/** Posts as the person and sends the bridge the event that Slack would send. */
async function ask(text: string, thread?: string): Promise<string> {
  const said = `<@${bot}> ${text}`;
  const args = { channel, text: said, ...(thread !== undefined && { thread_ts: thread }) };
  const { ts } = await api('chat.postMessage', USER, args);
  const { team_id: team } = await api('auth.test', BOT);
  const event = {
    type: 'app_mention',
    user: person,
    channel,
    ts,
    text: said,
    ...(thread !== undefined && { thread_ts: thread }),
  };
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: team,
    api_app_id: 'A0EMULATED1',
    event_id: `Ev${String(ts)}`,
    event_time: Math.floor(Number(ts)),
    event,
  });
  const headers = { ...sign(SECRET, body, Date.now()), 'content-type': 'application/json' };
  const response = await fetch(`${parley.url}/slack/events`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  return String(ts);
}

async function replies(thread: string): Promise<readonly Json[]> {
  const { messages } = await api('conversations.replies', BOT, { channel, ts: thread });
  return (messages as readonly Json[]).filter(({ user }) => user !== person);
}

test('a mention and a follow-up are each answered in their thread in one message', async () => {
  const root = await ask('echo: Two years of **warranty**.');
  await expect
    .poll(async () => JSON.stringify(await replies(root)))
    .toContain('AI-generated. Please check it.');
  const [first, ...more] = await replies(root);
  expect(more).toEqual([]);
  expect(String(first?.text)).toBe('Two years of warranty.');
  await ask('And three of service.', root);
  await expect
    .poll(async () => (await replies(root)).map(({ text }) => text))
    .toEqual(['Two years of warranty.', 'And three of service.']);
});

test('an image of the answer is uploaded and shown', async () => {
  const root = await ask('media-demo: show me a picture');
  await expect
    .poll(async () => JSON.stringify((await replies(root)).map(({ blocks }) => blocks)))
    .toMatch(/"type":"image".*"slack_file"/);
});
