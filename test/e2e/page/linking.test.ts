/**
 * Tests the page on which a signed-in person connects an id in Slack, by a code or by a proof, with a real OpenID
 * provider in a real browser.
 */

import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../bench/free-ports.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { type LinkHouse, openLinkHouse, slackProof } from '../../unit/console/link-house.ts';
import { openSignInRig, signInConfig } from '../../unit/console/provider-rig.ts';
import { objections } from './axe.ts';
import { describeInChromium, looks } from './stage.ts';

describeInChromium('connecting an id in Slack', (stage) => {
  let port: number;
  let provider: RealProvider;
  let house: LinkHouse;
  beforeEach(async () => {
    port = await freePort();
    provider = await openProvider(`http://127.0.0.1:${port}`);
    // The chat platform is on another site, so the browser comes back without cookies of the site.
    const back = slackProof(`http://127.0.0.1:${port}/connect/slack`);
    house = await openLinkHouse((token) => `http://127.0.0.1:${port}/#/link/${token}`, back);
  });
  afterEach(async () => {
    await house.close();
    await provider.close();
  });

  const open = (options: BrowserContextOptions) =>
    stage.real(options, (pageFolder) =>
      openSignInRig(signInConfig(provider.issuer, port), {
        config: { pageFolder },
        host: (host) =>
          void Object.assign(host, { linkPages: house.linkPages, linkProofs: house.linkProofs }),
      }),
    );

  /** Opens the page of a new code. */
  async function visit(options: BrowserContextOptions = {}) {
    const { page, faults } = await open(options);
    const address = await house.begin();
    await page.goto(address);
    return { page, faults, address };
  }

  it('by a code survives the sign-in, says who asks, and connects with one press', async () => {
    const { page, faults } = await visit();
    await page.getByRole('button', { name: 'Sign in' }).click();
    const connect = page.getByRole('button', { name: 'Connect' });
    await connect.waitFor();
    const text = await page.getByRole('main').innerText();
    expect(text).toContain('Ada in Slack (U1 in Slack) wants to ask with your account ada@p');
    expect(text).toContain('You are signed in as Ada Lindqvist.');
    expect(await house.linked()).toBeUndefined();
    await connect.click();
    await page.getByText('is now connected to the account ada@p for 30 days').waitFor();
    expect(await house.linked()).toBe('ada@p');
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    expect(page.url()).not.toContain('link');
    // Requests before the sign-in are refused with status 401. No other request may fail.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('by a code opens in a console that is already open; a second use and Cancel connect nothing', async () => {
    const { page, address } = await visit();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    expect(await house.linked()).toBeUndefined();
    await page.evaluate(`location.href = ${JSON.stringify(address)}`);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('is now connected').waitFor();
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.evaluate(`location.href = ${JSON.stringify(address)}`);
    expect(await page.getByRole('alert').innerText()).toContain('Send link again for a new one');
    expect(await page.getByRole('button', { name: 'Connect' }).count()).toBe(0);
  });

  it('by a code leads back after a sign-in if the session ended meanwhile', async () => {
    const { page } = await visit();
    const enter = page.getByRole('button', { name: 'Sign in' });
    await enter.click();
    const connect = page.getByRole('button', { name: 'Connect' });
    await connect.waitFor();
    await page.context().clearCookies();
    await connect.click();
    await enter.click();
    await connect.click();
    await page.getByText('is now connected').waitFor();
    expect(await house.linked()).toBe('ada@p');
  });

  it.each(looks)('by a code is accessible in %s', async (_look, options) => {
    const { page } = await visit(options);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    expect(await objections(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('is now connected').waitFor();
    expect(await objections(page)).toEqual([]);
  });

  async function signedIn(options: BrowserContextOptions = {}) {
    const { page, faults } = await open(options);
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    return { page, faults };
  }
  const menuOf = (page: Page) => page.getByRole('button', { name: /You are signed in as Ada Lindqvist/ });
  const connect = (page: Page) => page.getByRole('menuitem', { name: 'Connect Slack' });

  it('by a proof connects from the menu of the person, and says who is connected to what', async () => {
    const { page, faults } = await signedIn();
    await menuOf(page).click();
    await connect(page).click();
    await page.getByText('is now connected').waitFor();
    const text = await page.getByRole('main').innerText();
    expect(text).toContain('Ada in Slack (U1 in Slack) is now connected to the account ada@p for 30 days');
    expect(text).toContain('Send “unlink” there to end this.');
    expect(await house.linked()).toBe('ada@p');
    expect(page.url()).not.toMatch(/code|state|connect/);
    // A reload opens the console, and does not try the used proof again.
    await page.reload();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  it('by a proof works with the keyboard, and keeps Sign out in the same menu', async () => {
    const { page } = await signedIn();
    await menuOf(page).press('Enter');
    expect(await connect(page).evaluate('document.activeElement?.textContent')).toBe('Connect Slack');
    await page.keyboard.press('Escape');
    expect(await connect(page).count()).toBe(0);
    expect(await page.evaluate('document.activeElement?.className')).toContain('person-button');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Connect Slack');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
  });

  it('by a proof tells why nothing was connected, and leads back to the console', async () => {
    const { page } = await signedIn();
    await page.goto(`http://127.0.0.1:${port}/connect/slack?code=good&state=foreign`);
    expect(await page.getByRole('alert').innerText()).toContain('nothing was connected');
    expect(await house.linked()).toBeUndefined();
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
  });

  it('by a proof asks for a sign-in first if the session ended meanwhile, and then connects', async () => {
    const { page } = await signedIn();
    const { linkProofs } = house;
    const { begin } = linkProofs ?? {};
    if (linkProofs === undefined || begin === undefined) throw new Error('There are no proofs.');
    // The session ends while the person is at Slack.
    await page.route('**/connect/slack?**', async (route) => {
      const cookies = await page.context().cookies();
      const session = cookies.filter(({ name }) => name === 'parley_session');
      for (const { name } of session) await page.context().clearCookies({ name });
      await route.continue();
    });
    await menuOf(page).click();
    await connect(page).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('is now connected').waitFor();
    expect(await house.linked()).toBe('ada@p');
  });

  it.each(looks)('by a proof is accessible in %s', async (look, options) => {
    const { page } = await signedIn(options);
    if (look === 'phone') await page.getByRole('button', { name: 'Show rooms' }).click();
    await menuOf(page).click();
    await connect(page).waitFor();
    expect(await objections(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await connect(page).click();
    await page.getByText('is now connected').waitFor();
    expect(await objections(page)).toEqual([]);
  });
});
