/**
 * Tests attacks on the installation: forged redirects, tokens on the disk, and data that remains after a workspace
 * leaves.
 */

import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../../bench/free-ports.ts';
import {
  CHAT,
  type HostilePlatform,
  sendEvents,
  startHostilePlatform,
} from '../../fakes/hostile-platform.ts';
import { demoApp, type FakeSlack, startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const STATE_SECRET = 'state-secret-canary';
const PARLEY_KEY = 'parley-key-canary-of-thirty-two-characters';
const COOKIE = 'slack-app-oauth-state';
const QUESTION = 'CANARY-question-0815';
const ANSWER = 'CANARY-answer-0815';

const never = (): never => {
  throw new Error('there are two');
};
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 50 });

let platform: HostilePlatform;
let fake: FakeSlack;
let data: DataFolder;
let parley: ParleyInside;
let address: string;

beforeAll(async () => {
  platform = await startHostilePlatform();
  platform.on(CHAT, ({ body }, response) => {
    const echo = [...body.matchAll(/crossing-\w+/g)].map(([word]) => word).join(' ');
    sendEvents(response, [{ choices: [{ delta: { content: `${ANSWER} ${echo}` } }] }]);
  });
  fake = await startFakeSlack({
    limits: { off: true },
    workspaces: [{ installed: false }, { installed: false }],
  });
  fake.oauth.rotate();
  data = await makeDataFolder();
  const config = join(data.path, 'parley.yaml');
  await writeFile(
    config,
    `platform: { baseUrl: '${platform.url}' }
agents: { clerk: { interface: lite-key, description: Knows, credential: { kind: api-key, key: a-key } } }
console: { enabled: false }
log: { level: info, format: json }
`,
  );
  const [port] = await freePorts();
  address = `http://127.0.0.1:${port}`;
  parley = await runInside(data, {
    PARLEY_CONFIG: config,
    SLACK_API_URL: fake.apiUrl,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
    SLACK_CLIENT_ID: demoApp.clientId,
    SLACK_CLIENT_SECRET: demoApp.clientSecret,
    SLACK_STATE_SECRET: STATE_SECRET,
    PARLEY_KEY,
    PARLEY_PUBLIC_URL: address,
    PORT: String(port),
  });
  fake.deliverTo(`${address}/slack/events`);
});

afterAll(async () => {
  await parley?.stop();
  await fake?.close();
  await platform?.close();
  await data?.remove();
});

interface Begun {
  readonly cookie: string;
  readonly state: string;
  readonly location: URL;
}

async function begin(headers: Record<string, string> = {}): Promise<Begun> {
  const response = await fetch(`${address}/slack/install`, { redirect: 'manual', headers });
  const location = new URL(response.headers.get('location') ?? '');
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { location, cookie, state: location.searchParams.get('state') ?? '' };
}

async function agree(location: URL): Promise<URL> {
  const response = await fetch(location, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '');
}

async function comeBack(search: string, cookie: string) {
  const response = await fetch(`${address}/slack/oauth_redirect${search}`, { headers: { cookie } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function install(which: number): Promise<string> {
  fake.oauth.consent.team = fake.workspace(which).id;
  const { location, cookie } = await begin();
  const back = await agree(location);
  expect((await comeBack(back.search, cookie)).status).toBe(200);
  return back.search;
}

const exchanged = () => fake.log.calls.filter(({ method }) => method === 'oauth.v2.access').length;
const onDisk = (): string =>
  readdirSync(data.path)
    .filter((name) => name.startsWith('parley.sqlite'))
    .map((name) => readFileSync(join(data.path, name), 'latin1'))
    .join();

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (alg: string, secret: string, over: object = {}) => {
  const body = `${encoded({ alg, typ: 'JWT' })}.${encoded({ installOptions: { scopes: [] }, now: new Date().toJSON(), ...over })}`;
  const signature = alg === 'none' ? '' : createHmac('sha256', secret).update(body).digest('base64url');
  return `${body}.${signature}`;
};

const forgeries: Record<string, (begun: Begun, other: Begun) => { state: string; cookie: string }> = {
  'no state': ({ cookie }) => ({ state: '', cookie }),
  'no cookie': ({ state }) => ({ state, cookie: '' }),
  'the cookie of another browser': ({ state }, other) => ({ state, cookie: other.cookie }),
  'another browser’s state': ({ cookie }, other) => ({ state: other.state, cookie }),
  'a state signed by nobody': () => {
    const state = token('none', '');
    return { state, cookie: `${COOKIE}=${state}` };
  },
  'a state signed with another secret': () => {
    const state = token('HS256', 'another secret');
    return { state, cookie: `${COOKIE}=${state}` };
  },
  'a state signed with the client’s secret': () => {
    const state = token('HS256', demoApp.clientSecret);
    return { state, cookie: `${COOKIE}=${state}` };
  },
  'a state of eleven minutes ago': () => {
    const now = new Date(Date.now() - 11 * 60_000).toJSON();
    const state = token('HS256', STATE_SECRET, { now });
    return { state, cookie: `${COOKIE}=${state}` };
  },
  'a state cut short': ({ state }) => ({
    state: state.slice(0, -1),
    cookie: `${COOKIE}=${state.slice(0, -1)}`,
  }),
  'the word of a deleted cookie': () => ({ state: 'deleted', cookie: `${COOKIE}=deleted` }),
};

test.each(
  Object.entries(forgeries),
)('OAuth: coming back with %s is refused, and no code is exchanged', async (_, forge) => {
  fake.oauth.consent.team = fake.workspace(0).id;
  const [begun, other] = [await begin(), await begin()];
  const back = await agree(begun.location);
  const { state, cookie } = forge(begun, other);
  back.searchParams.set('state', state);
  const before = exchanged();
  const { status, text } = await comeBack(back.search, cookie);
  expect(status).toBe(400);
  expect(text).not.toContain('canary');
  expect(exchanged()).toBe(before);
});

test('OAuth: a repeated state and a refusal with its own text install nothing and echo nothing', async () => {
  const { location, state, cookie } = await begin();
  const back = await agree(location);
  const before = exchanged();
  const twice = await comeBack(`?code=${back.searchParams.get('code')}&state=x&state=${state}`, cookie);
  const refused = await comeBack(`?error=<script>alert(1)</script>&state=${state}`, cookie);
  for (const { status, text, headers } of [twice, refused]) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain('alert');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  }
  expect(exchanged()).toBe(before);
});

test('OAuth: a request with another host or more scopes is sent to Slack with our own values', async () => {
  for (const headers of [
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example' },
  ]) {
    const { location } = await begin(headers);
    expect(location.searchParams.get('redirect_uri')).toBe(`${address}/slack/oauth_redirect`);
  }
  const tampered = await fetch(
    `${address}/slack/install?redirect_uri=https://evil.example&scope=admin&user_scope=admin&client_id=1`,
    { redirect: 'manual' },
  );
  const location = new URL(tampered.headers.get('location') ?? '');
  expect(location.origin).toBe(new URL(fake.apiUrl).origin);
  expect(location.searchParams.get('redirect_uri')).toBe(`${address}/slack/oauth_redirect`);
  expect(location.searchParams.get('scope')).not.toContain('admin');
  expect(location.searchParams.get('user_scope') ?? '').toBe('');
  const cookie = tampered.headers.get('set-cookie') ?? '';
  for (const flag of ['Secure', 'HttpOnly']) expect(cookie).toContain(flag);
});

test('OAuth: a repeated redirect changes nothing, and no installation replaces another', async () => {
  const first = await install(0);
  const { cookie, state } = await begin();
  expect((await comeBack(first, `${COOKIE}=${new URLSearchParams(first).get('state')}`)).status).not.toBe(
    200,
  );
  const stolen = new URLSearchParams(first);
  stolen.set('state', state);
  expect((await comeBack(`?${stolen}`, cookie)).status).not.toBe(200);
  await install(1);
  for (const which of [0, 1]) {
    const workspace = fake.workspace(which);
    const from = fake.log.calls.length;
    const room = workspace.channel().id;
    const { ts } = workspace.person().mentions(room, QUESTION);
    await eventually(() => fake.thread(room, ts).map(visibleText).join()).toContain(ANSWER);
    const posts = fake.log.calls.slice(from).filter(({ args }) => args.channel === room);
    expect(new Set(posts.map(({ team }) => team))).toEqual(new Set([workspace.id]));
  }
});

test('S16: two workspaces with equal ids of rooms and people that ask concurrently never see each other’s answers', async () => {
  const both = [0, 1].map((which) => {
    const workspace = fake.workspace(which);
    const room = workspace.channel({ id: 'C0SAMESAME1' });
    return { which, workspace, room, person: workspace.person() };
  });
  const asked = Array.from({ length: 40 }, (_, nth) => {
    const { which, room, person, workspace } = both[nth % 2] ?? both[0] ?? never();
    const word = `crossing-w${which}x${nth}`;
    return { word, which, workspace, room, ts: person.mentions(room, `${QUESTION} ${word}`).ts };
  });
  const threadOf = ({ room, ts }: (typeof asked)[number]) =>
    room.messages
      .filter(({ threadTs, app }) => app && threadTs === ts)
      .map(visibleText)
      .join();
  for (const each of asked) await eventually(() => threadOf(each)).toContain(ANSWER);
  for (const each of asked) {
    const words = new Set(threadOf(each).match(/crossing-\w+/g));
    expect([...words]).toEqual([each.word]);
  }
  for (const { which, workspace } of both) {
    const other = fake.log.calls.filter(({ team }) => team === workspace.id);
    expect(JSON.stringify(other.map(({ args }) => args))).not.toContain(`crossing-w${1 - which}x`);
  }
});

test('at rest: no token, refresh token, secret or address of an answer is readable on the disk', async () => {
  const workspace = fake.workspace(0);
  const room = workspace.channel().id;
  await workspace.person().types(room, `/ask ${QUESTION}`).done;
  const kept = onDisk();
  expect(kept).toContain(`installation ${workspace.id}`);
  expect(kept).not.toMatch(/xox[a-z][.-]|xoxe|\/response\//);
  for (const hidden of [
    workspace.token,
    demoApp.clientSecret,
    demoApp.signingSecret,
    STATE_SECRET,
    PARLEY_KEY,
  ]) {
    expect(kept).not.toContain(hidden);
    expect(kept).not.toContain(Buffer.from(hidden).toString('base64').slice(0, 20));
    expect(parley.output()).not.toContain(hidden);
  }
});

test('uninstalling deletes all data of the workspace within a minute, and no data of another', async () => {
  const [gone, stays] = [fake.workspace(0), fake.workspace(1)];
  gone.removeApp();
  const rows = (): string => {
    const database = new DatabaseSync(join(data.path, 'parley.sqlite'), { readOnly: true });
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const all = tables.map(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all());
    database.close();
    return JSON.stringify(all, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
  };
  await expect.poll(() => rows().includes(gone.id), { timeout: 90_000, interval: 250 }).toBe(false);
  expect(rows()).toContain(stays.id);
  const from = fake.log.calls.length;
  const { ts, channel } = gone.person().mentions(gone.channel().id, QUESTION);
  const room = stays.channel().id;
  const other = stays.person().mentions(room, QUESTION);
  await eventually(() => fake.thread(room, other.ts).map(visibleText).join()).toContain(ANSWER);
  expect(fake.thread(channel, ts).filter(({ app }) => app)).toEqual([]);
  expect(fake.log.calls.slice(from).filter(({ team }) => team === gone.id)).toEqual([]);
});
