/** Tests over HTTP the routes with which a person connects an id in Slack by a proof; Slack itself is a stub. */

import { afterEach, beforeEach, expect, it, test } from 'vitest';
import type { ConnectView, ConsoleState, LinkView } from '../../../adapters/console/wire.ts';
import { BridgeError } from '../../../src/errors.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { type LinkHouse, openLinkHouse, slackProof } from './link-house.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { json, openRig, type Rig } from './rig.ts';

let provider: RealProvider;
let house: LinkHouse;
let rig: Rig;
let ada: Browser;
/** Milliseconds by which the bridge's clock is ahead. */
let ahead: number;
let proof: ReturnType<typeof slackProof>;

beforeEach(async () => {
  ahead = 0;
  const port = await freePort();
  provider = await openProvider(`http://127.0.0.1:${port}`);
  const config = signInConfig(provider.issuer, port);
  proof = slackProof(`http://127.0.0.1:${port}/connect/slack`);
  house = await openLinkHouse((token) => `${config.pageAddress}#/link/${token}`, proof);
  rig = await openSignInRig(config, {
    host(host) {
      const { linkPages, linkProofs } = house;
      const clock = { ...host.clock, now: () => Date.now() + ahead };
      Object.assign(host, { linkPages, linkProofs, clock });
    },
  });
  ada = await signIn(rig, new Browser());
});
afterEach(async () => {
  await rig.close();
  await provider.close();
  await house.close();
});

const post = (path: string, body: unknown, browser = ada) =>
  browser.visit(`${base(rig)}/console/${path}`, json(body));
async function begin(browser = ada) {
  const visit = await post('connect', { channel: 'slack' }, browser);
  const { address } = JSON.parse(visit.text) as ConnectView;
  return { query: address.slice(address.indexOf('?') + 1), setCookie: visit.setCookie };
}
const finish = (query: string, browser = ada) => post('connect/finish', { channel: 'slack', query }, browser);
const jar = () => ada.jar.get(new URL(base(rig)).host) ?? new Map<string, string>();
const cookieNamed = (bare: string) => [...jar().keys()].find((name) => name.startsWith(bare)) ?? 'none';
const COOKIE = () => cookieNamed('parley_connect_');
const other = (char: string) => (char === 'A' ? 'B' : 'A');

it('connects the person whom the proof names to the account of the person who signed in', async () => {
  const { query } = await begin();
  const { status, text, setCookie } = await finish(query);
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual({
    ...{ channel: 'slack', title: 'Slack', tenant: 'T1', person: 'U1', name: 'Ada in Slack' },
    ...{ account: 'ada@p', days: 30 },
  } satisfies LinkView);
  expect(setCookie).toEqual([expect.stringMatching(/^parley_connect_[\w-]{16}=; .*Max-Age=0/)]);
  expect(await house.linked()).toBe('ada@p');
});

it('uses each attempt once, even if the browser sends its cookie again', async () => {
  const { query } = await begin();
  const [name, value] = [COOKIE(), jar().get(COOKIE()) ?? ''];
  expect((await finish(query)).status).toBe(200);
  jar().set(name, value);
  expect((await finish(query)).status).toBe(409);
});

it('keeps the attempt in a cookie that neither scripts nor other sites get', async () => {
  const { setCookie, query } = await begin();
  expect(setCookie).toEqual([
    expect.stringMatching(
      /^parley_connect_[\w-]{16}=[\w.-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Strict$/,
    ),
  ]);
  const state = new URLSearchParams(query).get('state') ?? '';
  expect(state).toMatch(/^[\w-]{43}$/);
  expect(setCookie.join()).not.toContain(state.slice(16));
  const again = await begin();
  expect(new URLSearchParams(again.query).get('state')).not.toBe(state);
});

test('on https, the cookie is bound to the host', async () => {
  const { linkPages, linkProofs } = house;
  const { port } = rig;
  await rig.close();
  rig = await openSignInRig(signInConfig(provider.issuer, port), {
    config: { secureCookies: true },
    host: (host) => void Object.assign(host, { linkPages, linkProofs }),
  });
  const { setCookie } = await begin(await signIn(rig, new Browser()));
  expect(setCookie).toEqual([expect.stringMatching(/^__Host-parley_connect_[\w-]{16}=.*; Secure$/)]);
});

it.each([
  ['after 10 minutes', () => (ahead = 10 * 60_000 + 1)],
  ['without the cookie', () => jar().delete(COOKIE())],
  ['with a changed cookie', () => jar().set(COOKIE(), (jar().get(COOKIE()) ?? '').replace(/^./, other))],
  [
    'with the cookie of the console’s own sign-in',
    () => jar().set(COOKIE(), jar().get(cookieNamed('parley_sign_in_')) ?? 'none'),
  ],
  ['with two cookies', () => jar().set('x', `1; ${COOKIE()}=planted`)],
])('connects nobody %s', async (_when, change) => {
  await ada.visit(`${base(rig)}/console/sign-in/start`);
  const { query } = await begin();
  change();
  const { status, text } = await finish(query);
  expect([status, text]).toEqual([409, expect.stringContaining('nothing was connected')]);
  expect(await house.linked()).toBeUndefined();
});

it('connects nobody if another person has signed in in the same browser meanwhile', async () => {
  const { query } = await begin();
  provider.account = 'ben';
  const ben = await signIn(rig, new Browser());
  ben.jar.get(new URL(base(rig)).host)?.set(COOKIE(), jar().get(COOKIE()) ?? '');
  const { status, text } = await finish(query, ben);
  expect([status, text]).toEqual([409, expect.stringContaining('was already used, or began in another')]);
  expect(await house.linked()).toBeUndefined();
});

it('connects nobody whose account the platform does not accept now', async () => {
  house.refused = new BridgeError('platform-refused', 'Disabled.');
  const { status, text } = await finish((await begin()).query);
  expect([status, text]).toEqual([409, expect.stringContaining('nothing was connected')]);
  house.refused = undefined;
  expect(await house.linked()).toBeUndefined();
});

it.each([
  'external',
  'bot',
] as const)('connects nobody who is %s, whatever the rules allow', async (standing) => {
  proof.person = { ...proof.person, standing };
  const { status, text } = await finish((await begin()).query);
  expect([status, text]).toEqual([409, expect.stringContaining('cannot connect an account')]);
  expect(await house.linked()).toBeUndefined();
});

it('offers only channels with a proof, and only to people who have an account', async () => {
  const stateOf = async (browser: Browser) =>
    (JSON.parse((await browser.visit(`${base(rig)}/console/state`)).text) as ConsoleState).connects;
  expect(await stateOf(ada)).toEqual([{ channel: 'slack', title: 'Slack' }]);
  provider.claims.cy = { name: 'Cy', email: 'cy@example.org', email_verified: true, groups: [] };
  provider.account = 'cy';
  expect(await stateOf(await signIn(rig, new Browser()))).toEqual([]);
  expect((await post('connect', { channel: 'teams' })).status).toBe(404);
  expect((await post('connect', {})).status).toBe(400);
});

test('a console without a sign-in, or a bridge without proofs, has none of the routes', async () => {
  const { linkProofs } = house;
  const open = await openRig({ host: (host) => void Object.assign(host, { linkProofs }) });
  for (const path of ['/console/connect', '/console/connect/finish'])
    expect((await open.call(path, json({ channel: 'slack', query: '' }))).status).toBe(404);
  await open.close();
  const plain = await openRig();
  expect((await plain.call('/connect/slack?code=x', { redirect: 'manual' })).status).toBe(404);
  await plain.close();
});

it('lets two tabs connect, and passes few of 300 made-up codes on (attack S29)', async () => {
  const [first, second] = [await begin(), await begin()];
  for (const { query } of [second, first]) expect((await finish(query)).status).toBe(200);
  let asked = 0;
  proof.finish = async () => {
    asked += 1;
    throw new BridgeError('sign-in-refused', 'Slack answered invalid_code.');
  };
  const statuses: number[] = [];
  for (let sent = 0; sent < 300; sent += 1) statuses.push((await finish((await begin()).query)).status);
  expect(asked).toBe(20);
  expect(statuses.at(-1)).toBe(429);
  ahead = 60_000;
  expect((await finish((await begin()).query)).status).not.toBe(429);
  expect(asked).toBe(21);
});
