/** Tests the page of links over HTTP: a person who signed in with a real OpenID provider confirms a code from Slack. */

import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { LinkView } from '../../../adapters/console/wire.ts';
import { BridgeError } from '../../../src/errors.ts';
import { createSealer } from '../../../src/web/sealing.ts';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { LINK_KEY, type LinkHouse, openLinkHouse } from './link-house.ts';
import { base, openSignInRig, signIn, signInConfig } from './provider-rig.ts';
import { json, openRig, type Rig } from './rig.ts';

let provider: RealProvider;
let house: LinkHouse;
let rig: Rig;

beforeEach(async () => {
  const port = await freePort();
  provider = await openProvider(`http://127.0.0.1:${port}`);
  provider.claims.cy = { name: 'Cy', email: 'cy@example.org', email_verified: true, groups: [] };
  const config = signInConfig(provider.issuer, port);
  house = await openLinkHouse((token) => `${config.pageAddress}#/link/${token}`);
  const { linkPages } = house;
  rig = await openSignInRig(config, { host: (host) => void Object.assign(host, { linkPages }) });
});
afterEach(async () => {
  await rig.close();
  await provider.close();
  await house.close();
});

const signInAs = (account: string) => {
  provider.account = account;
  return signIn(rig, new Browser());
};
async function post(browser: Browser, path: string, body: unknown, headers: Record<string, string> = {}) {
  const init = json(body);
  const sent = { ...init, headers: { ...init.headers, ...headers } };
  const { status, text } = await browser.visit(`${base(rig)}/console/${path}`, sent);
  return { status, text, view: () => JSON.parse(text) as LinkView };
}
const show = (browser: Browser, token: string) => post(browser, 'link', { token });
const confirm = (browser: Browser, token: string) => post(browser, 'link/confirm', { token });
const tokenOf = (code: string) => /#\/link\/([\w-]+)$/.exec(house.links.pageOf(code) ?? '')?.[1] ?? '';
const acts = async () =>
  (await house.store.audit.page({ from: 0, to: Number.MAX_SAFE_INTEGER }, 10)).map(
    ({ seq: _, at: __, ...act }) => act,
  );

it('links the person who asked to the account of the person who signed in, with one press', async () => {
  const code = await house.code();
  const page = house.links.pageOf(code) ?? '';
  expect(page.startsWith(rig.adapter.abilities.linkPage?.('') ?? 'none')).toBe(true);
  expect(page).not.toContain(code);
  const ada = await signInAs('ada');
  const view = {
    channel: 'slack',
    title: 'Slack',
    tenant: 'T1',
    person: 'U1',
    name: 'Ada in Slack',
    account: 'ada@p',
    days: 30,
  };
  expect((await show(ada, tokenOf(code))).view()).toEqual(view);
  expect(await house.linked()).toBeUndefined();
  expect((await confirm(ada, tokenOf(code))).view()).toEqual(view);
  expect(await house.linked()).toBe('ada@p');
  expect(await acts()).toEqual([
    {
      ...{ action: 'link', outcome: 'done', channel: 'console', tenant: 'console', account: 'ada@p' },
      ...{ person: expect.any(String), detail: 'slack/T1/U1' },
    },
  ]);
});

describe('nobody is linked', () => {
  const isNotLinked = async () => expect(await house.linked()).toBeUndefined();

  it('without a sign-in, and the code stays usable', async () => {
    const token = tokenOf(await house.code());
    for (const act of [show, confirm]) expect((await act(new Browser(), token)).status).toBe(401);
    await isNotLinked();
    const ada = await signInAs('ada');
    await show(ada, token);
    expect((await confirm(ada, token)).status).toBe(200);
  });

  it('by a request of another site, even with the person’s cookie', async () => {
    const token = tokenOf(await house.code());
    const ada = await signInAs('ada');
    await show(ada, token);
    const forged: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'same-site' },
      { host: 'evil.example' },
    ];
    for (const headers of forged.slice(0, 3))
      expect((await post(ada, 'link/confirm', { token }, headers)).status).toBe(403);
    const form = { method: 'POST', body: `token=${token}` };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const address = `${base(rig)}/console/link/confirm`;
    expect((await ada.visit(address, { ...form, headers: type })).status).toBe(400);
    expect((await ada.visit(`${address}?token=${token}`)).status).toBe(404);
    await isNotLinked();
  });

  it('by a second use, or before the page showed who asks', async () => {
    const token = tokenOf(await house.code());
    const ada = await signInAs('ada');
    expect((await confirm(ada, token)).status).toBe(409);
    await show(ada, token);
    const both = await Promise.all([confirm(ada, token), confirm(ada, token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await house.unlink();
    for (const act of [show, confirm]) expect((await act(ada, token)).text).toContain('does not work');
    await isNotLinked();
  });

  it('to another person’s account than that of the first who opened the page', async () => {
    const token = tokenOf(await house.code());
    const [ada, ben] = [await signInAs('ada'), await signInAs('ben')];
    await show(ada, token);
    for (const act of [show, confirm]) expect((await act(ben, token)).status).toBe(409);
    await isNotLinked();
    expect((await confirm(ada, token)).status).toBe(200);
    expect(await house.linked()).toBe('ada@p');
  });

  it('by a token that the bridge did not make, or made for another purpose', async () => {
    const code = await house.code();
    const token = tokenOf(code);
    const foreign = [
      ...[code, token.slice(0, -1), `${token}A`, token.toLowerCase(), 'x'.repeat(9_000), ''],
      createSealer(LINK_KEY, 'media link').seal(code) ?? '',
      createSealer(Buffer.alloc(32, 8), 'account link').seal(code) ?? '',
    ];
    const ada = await signInAs('ada');
    for (const guess of foreign)
      for (const act of [show, confirm]) expect((await act(ada, guess)).status).toBe(409);
    await isNotLinked();
    expect((await show(ada, token)).status).toBe(200);
  });

  it('by a code that is 10 minutes old, or after a newer one', async () => {
    const old = tokenOf(await house.code());
    const token = tokenOf(await house.code());
    const ada = await signInAs('ada');
    expect((await show(ada, old)).status).toBe(409);
    await show(ada, token);
    house.advance(11 * 60_000);
    expect((await confirm(ada, token)).status).toBe(409);
    await isNotLinked();
  });

  it('to a person without an account, or whose account the platform does not accept now', async () => {
    const token = tokenOf(await house.code());
    expect((await show(await signInAs('cy'), token)).text).toContain('you cannot confirm a code');
    const ada = await signInAs('ada');
    await show(ada, token);
    house.refused = new BridgeError('platform-refused', 'Disabled.');
    expect((await confirm(ada, token)).text).toContain('nothing was connected');
    await isNotLinked();
    house.refused = undefined;
    expect((await confirm(ada, token)).status).toBe(200);
  });
});

test('a console without sign-in has no page for links', async () => {
  const { linkPages } = house;
  const open = await openRig({ host: (host) => void Object.assign(host, { linkPages }) });
  expect(open.adapter.abilities).not.toHaveProperty('linkPage');
  for (const path of ['/console/link', '/console/link/confirm'])
    expect((await open.call(path, json({ token: tokenOf(await house.code()) }))).status).toBe(404);
  await open.close();
  const without = await openLinkHouse(undefined);
  expect(without.linkPages).toBeUndefined();
  expect(without.links.pageOf(await without.code())).toBeUndefined();
  await without.close();
});
