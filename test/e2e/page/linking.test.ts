/** Tests the page on which a signed-in person confirms a link, with a real OpenID provider in a real browser. */

import type { BrowserContextOptions } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { type LinkHouse, openLinkHouse } from '../../unit/console/link-house.ts';
import { freePort, openSignInRig, signInConfig } from '../../unit/console/provider-rig.ts';
import { objections } from './axe.ts';
import { describeInChromium } from './stage.ts';

describeInChromium('confirming a link', (stage) => {
  let port: number;
  let provider: RealProvider;
  let house: LinkHouse;
  beforeEach(async () => {
    port = await freePort();
    provider = await openProvider(`http://127.0.0.1:${port}`);
    house = await openLinkHouse((token) => `http://127.0.0.1:${port}/#/link/${token}`);
  });
  afterEach(async () => {
    await house.close();
    await provider.close();
  });

  /** Opens the page of a new code. */
  async function visit(options: BrowserContextOptions = {}) {
    const { page, faults } = await stage.real(options, (pageFolder) =>
      openSignInRig(signInConfig(provider.issuer, port), {
        config: { pageFolder },
        host: (host) => void Object.assign(host, { linkPages: house.linkPages }),
      }),
    );
    const address = await house.begin();
    await page.goto(address);
    return { page, faults, address };
  }

  it('survives the sign-in, says who asks, and connects with one press', async () => {
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

  it('opens in a console that is already open; a second use and Cancel connect nothing', async () => {
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

  it('leads back after a sign-in if the session ended meanwhile', async () => {
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

  const phone = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { ...phone, colorScheme: 'dark' }],
  ] as const)('is accessible in %s', async (_look, options) => {
    const { page } = await visit(options);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    expect(await objections(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('is now connected').waitFor();
    expect(await objections(page)).toEqual([]);
  });
});
