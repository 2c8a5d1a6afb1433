import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SlackConfig } from '../../../adapters/slack/config.ts';
import { examineSlack } from '../../../adapters/slack/doctor.ts';
import { botScopes } from '../../../adapters/slack/scopes.ts';
import { systemClock } from '../../../src/clock.ts';
import { secret, startRig } from './rig.ts';
import { openSmallSlack, SECRET, type SmallSlack } from './small-slack.ts';

let server: Server;
let apiUrl: string;
let answers: Record<string, object>;
let status: number;
let page: string | undefined;
let headers: Record<string, string>;

beforeEach(async () => {
  answers = {
    '/api/auth.test': { ok: true, user: 'parley', team: 'Acme' },
    '/api/apps.connections.open': { ok: true, url: 'wss://x' },
  };
  status = 200;
  page = undefined;
  headers = { 'x-oauth-scopes': botScopes({ email: false, agentNames: false }).join(',') };
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ''] ?? { ok: false, error: 'unknown_method' };
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(page ?? JSON.stringify(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
});
afterEach(() => void server.close());

const settings = (over: Partial<SlackConfig> = {}): SlackConfig => ({
  name: 'Parley',
  command: '/ask',
  footer: true,
  prompts: [],
  streaming: 'auto',
  email: false,
  agentNames: false,
  publicUrl: undefined,
  oauth: undefined,
  openId: undefined,
  botToken: secret('xoxb-1'),
  appToken: secret('xapp-1'),
  apiUrl,
  ...over,
});
const faults = async (config: SlackConfig) =>
  (await examineSlack(config, systemClock)).filter(({ ok }) => !ok);

test('the doctor finds no fault in a correct setup', async () => {
  const found = await examineSlack(settings(), systemClock);
  expect(found.map(({ what, ok }) => `${what} ${ok}`)).toEqual([
    'Slack token true',
    'Slack scopes true',
    'Slack clock true',
    'Slack Socket Mode true',
  ]);
});

test.each<[string, () => void, RegExp]>([
  [
    'a token that Slack refuses',
    () => (answers['/api/auth.test'] = { ok: false, error: 'invalid_auth' }),
    /invalid_auth.*SLACK_BOT_TOKEN/,
  ],
  [
    'a missing scope',
    () => (headers['x-oauth-scopes'] = 'chat:write,commands'),
    /missing: app_mentions:read.*manifest/,
  ],
  [
    'a clock that is off',
    () => (headers.date = new Date(Date.now() - 600_000).toUTCString()),
    /differs from Slack by (599|600|601) s/,
  ],
  [
    'an app token without its scope',
    () => (answers['/api/apps.connections.open'] = { ok: false, error: 'missing_scope' }),
    /connections:write.*SLACK_APP_TOKEN/,
  ],
])('the doctor reports %s with the cure', async (_, spoil, said) => {
  spoil();
  const [first, ...more] = await faults(settings());
  expect(first?.detail).toMatch(said);
  expect(more).toEqual([]);
});

const LATER = /Nothing needs to be changed here: .* Wait a few minutes/;
const INSTALL = /Install the app in the workspace again .*SLACK_BOT_TOKEN/;
const COPY = /Copy the bot token \(xoxb-…\).*SLACK_BOT_TOKEN/;
const ADMIN = /Ask an administrator/;
const CREATE = /Create an app-level token/;

test.each<[number, string, RegExp, RegExp]>([
  [200, 'invalid_auth', COPY, CREATE],
  [200, 'not_authed', COPY, CREATE],
  [200, 'not_allowed_token_type', COPY, CREATE],
  [200, 'missing_scope', COPY, CREATE],
  [200, 'token_revoked', INSTALL, CREATE],
  [200, 'token_expired', INSTALL, CREATE],
  [200, 'account_inactive', INSTALL, /Install the app/],
  [200, 'app_uninstalled', INSTALL, /Install the app/],
  [200, 'team_access_not_granted', ADMIN, ADMIN],
  [200, 'access_denied', ADMIN, ADMIN],
  [200, 'internal_error', LATER, LATER],
  [200, 'service_unavailable', LATER, LATER],
  [429, 'ratelimited', LATER, LATER],
  [500, 'fatal_error', LATER, LATER],
])('status %i with %s from Slack has its own cure', async (given, error, bot, app) => {
  status = given;
  answers = { '/api/auth.test': { ok: false, error }, '/api/apps.connections.open': { ok: false, error } };
  const found = await faults(settings());
  expect(found.map(({ what }) => what)).toEqual(['Slack token', 'Slack Socket Mode']);
  expect(found[0]?.detail).toMatch(bot);
  expect(found[1]?.detail).toMatch(app);
});

test.each<[number, RegExp]>([
  [200, /does not respond in JSON, so it is not Slack\. Check SLACK_API_URL and the proxy/],
  [302, /responds with HTTP 302, so it is not Slack\. Check SLACK_API_URL/],
  [403, /responds with HTTP 403, so it is not Slack\. Check SLACK_API_URL/],
  [429, LATER],
  [500, LATER],
  [503, LATER],
])('a web page with status %i has its own cure', async (given, says) => {
  status = given;
  page = '<!doctype html><title>Sign in to the network</title>';
  for (const { detail } of await faults(settings())) expect(detail).toMatch(says);
  expect(await faults(settings())).toHaveLength(2);
});

test('the doctor reports that Slack cannot be reached', async () => {
  const found = await faults(settings({ apiUrl: 'http://127.0.0.1:1/api/' }));
  expect(found.map(({ detail }) => detail)).toEqual([
    expect.stringContaining('SLACK_API_URL'),
    expect.stringContaining('SLACK_API_URL'),
  ]);
});

test('the doctor requires a public address if Socket Mode is off', async () => {
  const { appToken: _, ...without } = settings({ signingSecret: secret(SECRET) });
  expect((await faults(without))[0]?.detail).toContain('PARLEY_PUBLIC_URL');
});

test('the doctor sends the public address the same request as Slack', async () => {
  const slack: SmallSlack = await openSmallSlack();
  const rig = await startRig(
    { botToken: secret('xoxb-1'), apiUrl: slack.apiUrl },
    { clock: systemClock as never },
  );
  const at = (over: Partial<SlackConfig>) =>
    faults(settings({ signingSecret: secret(SECRET), publicUrl: rig.url, ...over }));
  expect(await at({})).toEqual([]);
  expect((await at({ signingSecret: secret('another') }))[0]?.detail).toContain('responds with 401');
  expect((await at({ publicUrl: 'http://127.0.0.1:1' }))[0]?.detail).toContain(
    'does not answer. Start the bridge',
  );
  await rig.close();
  await slack.close();
});
