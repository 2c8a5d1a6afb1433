/**
 * Tests over HTTP how a person who has signed in to the console connects their id in Slack by signing in to Slack. Two
 * OpenID providers take part: one for the sign-in to the console, and Slack itself.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LinkView } from '../../../adapters/console/wire.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser, type Visit } from '../../fakes/oidc/browser.ts';
import { CLIENT_ID, CLIENT_SECRET, openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { runHere } from '../../fakes/run-here.ts';
import {
  demoApp,
  type FakePerson,
  type FakeSlack,
  scopesWithEmail,
  startFakeSlack,
  visibleText,
} from '../../fakes/slack/index.ts';
import type { OpenId } from '../../fakes/slack/oauth/openid.ts';
import { json } from '../../unit/console/rig.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });

let data: DataFolder;
let slack: FakeSlack;
let openId: OpenId;
let provider: RealProvider;
let parley: ParleyInside;
let url: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
  [data, slack, provider] = await Promise.all([
    makeDataFolder(),
    startFakeSlack({ workspaces: [{ scopes: scopesWithEmail }, { installed: false }] }),
    openProvider(url),
  ]);
  openId = await slack.oauth.openId([`${url}/connect/slack`]);
  provider.claims.cy = { name: 'Cy', email: 'cy@example.org', email_verified: true, groups: [] };
  const config = join(data.path, 'parley.yaml');
  const table = [
    { channel: 'console', email: 'ada@example.org', account: 'member-one' },
    { channel: 'console', email: 'ben@example.org', account: 'member-two' },
    { channel: 'slack', email: 'known@example.org', account: 'admin' },
  ];
  const settings = {
    server: { publicUrl: url },
    identity: { table, linkDays: 30 },
    console: { signIn: { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } },
    slack: { linkBySignIn: true },
    log: { level: 'debug', format: 'json' },
  };
  writeFileSync(config, JSON.stringify(settings));
  parley = await runInside(data, {
    PARLEY_CONFIG: config,
    PORT: new URL(url).port,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.workspace().token,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
    SLACK_CLIENT_ID: demoApp.clientId,
    SLACK_CLIENT_SECRET: demoApp.clientSecret,
  });
  slack.deliverTo(`${parley.url}/slack/events`);
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack?.close(), provider?.close()]);
  await data?.remove();
});
beforeEach(() => {
  openId.denied = false;
  openId.down = undefined;
});

const post = (browser: Browser, path: string, body: unknown, headers: Record<string, string> = {}) => {
  const init = json(body);
  return browser.visit(`${url}/console/${path}`, { ...init, headers: { ...init.headers, ...headers } });
};
async function signIn(account: string, browser = new Browser()): Promise<Browser> {
  provider.account = account;
  await browser.follow(`${url}/console/sign-in/start`, (next) => next === `${url}/`);
  return browser;
}
const joins = (person: Partial<FakePerson> = {}): FakePerson => {
  const { id } = slack.workspace().person({ name: 'Ada in Slack', ...person });
  openId.person = { id, team: slack.workspace().id };
  return slack.workspace().known(id);
};
/** Starts to connect Slack, as the page does. Resolves with the address of Slack's sign-in. */
async function begin(browser: Browser): Promise<string> {
  const { status, text } = await post(browser, 'connect', { channel: 'slack' });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as { readonly address: string }).address;
}
/** Signs in to Slack. Resolves with the query of the page to which the browser comes back. */
async function atSlack(browser: Browser, address: string): Promise<string> {
  const { location = '' } = await browser.follow(address, (next) => next.startsWith(`${url}/connect/`));
  return queryOf(await browser.visit(location));
}
function queryOf({ status, location = '' }: Visit): string {
  expect(status).toBe(303);
  const [, query = ''] = /^http:\/\/127\.0\.0\.1:\d+\/#\/connect\/slack\/([^/]*)$/.exec(location) ?? [];
  expect(location.startsWith(`${url}/#/connect/slack/`), location).toBe(true);
  return decodeURIComponent(query);
}
const finish = (browser: Browser, query: string, headers?: Record<string, string>) =>
  post(browser, 'connect/finish', { channel: 'slack', query }, headers);
const whoami = async (person: FakePerson): Promise<string> => {
  const dm = person.dm();
  const { ts } = person.says(dm, 'whoami');
  const answer = () =>
    slack
      .thread(dm.id, ts)
      .filter(({ app }) => app)
      .map(visibleText)
      .join();
  await eventually(answer).toMatch(/account/);
  return answer();
};
const said = async (person: FakePerson, text: string, expected: RegExp) => {
  const dm = person.dm();
  const { ts } = person.says(dm, text);
  await eventually(() =>
    slack
      .thread(dm.id, ts)
      .filter(({ app }) => app)
      .map(visibleText)
      .join(),
  ).toMatch(expected);
};

test('a signed-in person connects their id in Slack without a code, and ends the link there', async () => {
  const ada = await signIn('ada');
  const { text: state } = await ada.visit(`${url}/console/state`);
  expect(JSON.parse(state)).toMatchObject({ connects: [{ channel: 'slack', title: 'Slack' }] });
  const person = joins();
  const address = await begin(ada);
  expect(address).not.toContain('code_challenge');
  const query = await atSlack(ada, address);
  const { host } = new URL(url);
  const jar = ada.jar.get(host) ?? new Map<string, string>();
  const [name, kept] = [...jar].find(([each]) => each.startsWith('parley_connect_')) ?? ['', ''];
  const { status, text } = await finish(ada, query);
  expect(status, text).toBe(200);
  expect(JSON.parse(text)).toEqual({
    ...{ channel: 'slack', title: 'Slack', tenant: slack.workspace().id, person: person.id },
    ...{ name: 'Ada in Slack', account: 'member-one', days: 30 },
  } satisfies LinkView);
  expect(await whoami(person)).toContain('member-one');
  expect(openId.asked.at(-1)?.get('team')).toBe(slack.workspace().id);

  // The code, the state and the cookie work once, also if the browser keeps the cookie.
  expect((await finish(ada, query)).status).toBe(409);
  jar.set(name, kept);
  expect((await finish(ada, query)).text).toContain('was already used');
  await said(person, 'unlink', /You are no longer connected/);
  expect((await finish(ada, query)).status).toBe(409);
  expect(await whoami(person)).not.toContain('member-one');

  const secrets = [...openId.issued, new URLSearchParams(query).get('code') ?? 'none', demoApp.clientSecret];
  for (const secret of secrets) expect(parley.output()).not.toContain(secret);
});

describe('nobody is connected', () => {
  const isNotConnected = async (person: FakePerson) =>
    expect(await whoami(person)).not.toMatch(/member-one|member-two/);

  test('by the proof of another browser, or by an address of an attacker', async () => {
    const person = joins();
    const [ada, mallory] = [await signIn('ada'), await signIn('ben')];
    const ofMallory = await atSlack(mallory, await begin(mallory));
    // Ada's browser gets Mallory's proof (login CSRF): first without a sign-in that Ada began, then with one.
    expect((await finish(ada, ofMallory)).status).toBe(409);
    await begin(ada);
    expect((await finish(ada, ofMallory)).status).toBe(409);
    // Ada follows Mallory's address to Slack, so Ada's proof has the state of Mallory's browser.
    const lured = await atSlack(ada, await begin(mallory));
    expect((await finish(ada, lured)).status).toBe(409);
    // Mallory gets Ada's proof, and uses it with his own session, then in a browser without a session.
    const ofAda = await atSlack(ada, await begin(ada));
    expect((await finish(mallory, ofAda)).status).toBe(409);
    expect((await finish(new Browser(), ofAda)).status).toBe(401);
    await isNotConnected(person);
  });

  test('in the session of the next person in the same browser', async () => {
    const person = joins();
    const browser = await signIn('ada');
    const query = await atSlack(browser, await begin(browser));
    await post(browser, 'sign-out', {});
    browser.jar.delete(new URL(provider.issuer).host);
    await signIn('ben', browser);
    expect((await finish(browser, query)).status).toBe(409);
    await isNotConnected(person);
  });

  test('by a request of another site, or with a changed query', async () => {
    const person = joins();
    const ada = await signIn('ada');
    const query = await atSlack(ada, await begin(ada));
    const foreign = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }];
    for (const headers of foreign as readonly Record<string, string>[]) {
      expect((await finish(ada, query, headers)).status).toBe(403);
      expect((await post(ada, 'connect', { channel: 'slack' }, headers)).status).toBe(403);
    }
    expect((await ada.visit(`${url}/console/connect/finish?${query}`)).status).toBe(404);
    const state = new URLSearchParams(query).get('state') ?? '';
    const changed = [query.replace(/state=[^&]+/, ''), `${query}&state=${state}`, `${query}&state=x`, ''];
    for (const each of changed) expect((await finish(ada, each)).status).toBe(409);
    expect((await post(ada, 'connect/finish', { channel: 'teams', query })).status).toBe(409);
    await isNotConnected(person);
    expect((await finish(ada, query)).status).toBe(200);
    await said(person, 'unlink', /no longer/);
  });

  test('by a code of another sign-in: the nonce is that of the attempt', async () => {
    const person = joins();
    const ada = await signIn('ada');
    const first = new URLSearchParams(await atSlack(ada, await begin(ada)));
    const second = new URLSearchParams(await atSlack(ada, await begin(ada)));
    second.set('code', first.get('code') ?? '');
    const { status, text } = await finish(ada, second.toString());
    expect(status).toBe(409);
    expect(text).toContain('could not confirm who you are');
    await isNotConnected(person);
  });

  test('by a code that was used, also for another attempt', async () => {
    const person = joins();
    const ada = await signIn('ada');
    const used = new URLSearchParams(await atSlack(ada, await begin(ada)));
    expect((await finish(ada, used.toString())).status).toBe(200);
    await said(person, 'unlink', /no longer/);
    const next = new URLSearchParams(await atSlack(ada, await begin(ada)));
    next.set('code', used.get('code') ?? '');
    expect((await finish(ada, next.toString())).status).toBe(409);
    await isNotConnected(person);
  });

  test('without a session, or without an account of their own', async () => {
    const person = joins();
    expect((await post(new Browser(), 'connect', { channel: 'slack' })).status).toBe(401);
    const cy = await signIn('cy');
    const { text: state } = await cy.visit(`${url}/console/state`);
    expect(JSON.parse(state)).toMatchObject({ connects: [] });
    const { status, text } = await finish(cy, await atSlack(cy, await begin(cy)));
    expect([status, text]).toEqual([409, expect.stringContaining('do not know your account')]);
    await isNotConnected(person);
  });

  test('in a workspace where the app is not installed', async () => {
    const other = slack.workspace(1);
    const { id } = other.person({ name: 'Elsewhere' });
    openId.person = { id, team: other.id };
    const ada = await signIn('ada');
    const { status, text } = await finish(ada, await atSlack(ada, await begin(ada)));
    expect([status, text]).toEqual([409, expect.stringContaining('where this app is not installed')]);
  });

  test.each([
    ['a guest', { guest: 'single-channel' }, /guest/i],
    ['a person of another organization', { team: 'T0ELSEWHERE' }, /other organizations/],
    ['a bot', { bot: true }, /bots/],
    ['a person who has an account', { email: 'known@example.org' }, /already have the account admin/],
  ] as const)('who is %s', async (_what, options, why) => {
    joins(options);
    const ada = await signIn('ada');
    const { status, text } = await finish(ada, await atSlack(ada, await begin(ada)));
    expect([status, text]).toEqual([409, expect.stringMatching(why)]);
  });

  test('if another person of the workspace uses the account', async () => {
    const first = joins();
    const ada = await signIn('ada');
    expect((await finish(ada, await atSlack(ada, await begin(ada)))).status).toBe(200);
    const second = joins();
    const again = await signIn('ada');
    const { status, text } = await finish(again, await atSlack(again, await begin(again)));
    expect([status, text]).toEqual([409, expect.stringContaining('already connected to another person')]);
    await isNotConnected(second);
    await said(first, 'unlink', /no longer/);
  });

  test('if the person presses Cancel, or while Slack’s sign-in is down', async () => {
    const person = joins();
    const ada = await signIn('ada');
    openId.denied = true;
    const cancelled = await finish(ada, await atSlack(ada, await begin(ada)));
    expect([cancelled.status, cancelled.text]).toEqual([409, expect.stringContaining('did not sign in')]);
    openId.denied = false;
    const query = await atSlack(ada, await begin(ada));
    openId.down = 503;
    const down = await finish(ada, query);
    expect([down.status, down.text]).toEqual([409, expect.stringContaining('Please try again in a minute')]);
    await isNotConnected(person);
    openId.down = undefined;
    expect((await finish(ada, await atSlack(ada, await begin(ada)))).status).toBe(200);
    await said(person, 'unlink', /no longer/);
  });
});

async function atSlackWhileUp(browser: Browser): Promise<string> {
  const { down } = openId;
  openId.down = undefined;
  const query = await atSlack(browser, await begin(browser));
  openId.down = down;
  return query;
}

test('the way back leads only to the page, whatever the address contains', async () => {
  const visit = async (path: string, headers: Record<string, string> = {}) =>
    new Browser().visit(`${url}${path}`, { headers });
  const odd = [
    '/connect/%2F%2Fevil.example?x=1',
    '/connect/..%2F..%2Fevil?x',
    '/connect/slack?%0d%0aset-cookie:a=b',
  ];
  for (const path of odd) {
    const { status, location = '', setCookie } = await visit(path);
    expect([status, location.startsWith(`${url}/#/connect/`), setCookie]).toEqual([303, true, []]);
  }
  expect((await visit('/connect/slack?x=1', { 'x-forwarded-host': 'evil.example' })).location).toBe(
    `${url}/#/connect/slack/x%3D1`,
  );
  expect((await new Browser().visit(`${url}/connect/slack`, { method: 'POST' })).status).not.toBe(303);
});

/** Runs a command beside the bridge, and resolves with its output. */
async function command(...args: readonly string[]): Promise<string> {
  const own = { PARLEY_CONFIG: join(data.path, 'parley.yaml'), PARLEY_DATA: data.path };
  const shared = {
    SLACK_CLIENT_ID: '1.2',
    SLACK_CLIENT_SECRET: 's',
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_SIGNING_SECRET: 's',
  };
  return (await runHere(args, { environment: { ...own, ...shared } })).out;
}

test('an operator sees the link, its record in the audit and those of refusals, and can end it', async () => {
  const person = joins();
  const ada = await signIn('ada');
  openId.down = 503;
  await finish(ada, await atSlackWhileUp(ada));
  openId.down = undefined;
  expect((await finish(ada, await atSlack(ada, await begin(ada)))).status).toBe(200);
  const link = `slack/${slack.workspace().id}/${person.id}`;
  expect(JSON.parse(await command('accounts', 'list', '--json'))).toContainEqual(
    expect.objectContaining({ account: 'member-one', person: person.id, confirmedIn: 'console' }),
  );
  const records = (await command('audit', 'export')).split('\n').filter((line) => line.includes('"link"'));
  const acts = records.map((line) => JSON.parse(line) as Record<string, unknown>);
  const own = { action: 'link', channel: 'console', person: expect.any(String) };
  expect(acts.slice(-2)).toEqual([
    expect.objectContaining({ ...own, outcome: 'refused', detail: 'sign-in-unavailable' }),
    expect.objectContaining({ ...own, outcome: 'done', detail: link, account: 'member-one' }),
  ]);
  await command('accounts', 'unlink', link);
  expect(await whoami(person)).not.toContain('member-one');
});
