/** Tests sign-in with a real OpenID provider in a real browser. */

import type { BrowserContextOptions } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../bench/free-ports.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { openSignInRig, signInConfig } from '../../unit/console/provider-rig.ts';
import { objections } from './axe.ts';
import { describeInChromium, looks, pressSignOut } from './stage.ts';

/** If set, the tests store their pictures in this folder. */
const pictures = process.env.PARLEY_PICTURES;

describeInChromium('signing in with a provider', (stage) => {
  let port: number;
  let provider: RealProvider;
  beforeEach(async () => {
    port = await freePort();
    provider = await openProvider(`http://127.0.0.1:${port}`);
  });
  afterEach(() => provider.close());

  const visit = (options: BrowserContextOptions = {}) =>
    stage.real(options, (pageFolder) =>
      openSignInRig(signInConfig(provider.issuer, port), { config: { pageFolder } }),
    );

  it('leads to the provider and back to the room, and signs out', async () => {
    const { page, rig } = await visit();
    const enter = page.getByRole('button', { name: 'Sign in' });
    await enter.waitFor();
    await page.goto(`http://127.0.0.1:${rig.port}/#/r/random`);
    await enter.click();
    await page.getByRole('heading', { name: 'random', exact: true }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe('/#/r/random');
    await page.getByText('Ada Lindqvist').waitFor();
    expect(await page.getByRole('button', { name: /You speak as/ }).count()).toBe(0);
    expect(await page.evaluate('document.cookie')).toBe('');
    const box = page.getByRole('textbox').first();
    await box.fill('hello from Ada');
    await box.press('Enter');
    await page.getByText('hello from Ada').waitFor();
    await pressSignOut(page);
    await enter.waitFor();
    expect(await page.getByText('hello from Ada').count()).toBe(0);
  });

  it('ends in all tabs when the person signs out in one of them', async () => {
    const { page, rig } = await visit();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`http://127.0.0.1:${rig.port}/#/r/random`);
    await other.getByRole('heading', { name: 'random', exact: true }).waitFor();
    await pressSignOut(other);
    for (const tab of [other, page]) await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('heading', { name: 'random', exact: true }).waitFor();
  });

  it('says in a sentence that the provider is down', async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await provider.close();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').innerText()).toContain('Please try again in a minute');
    expect(new URL(page.url()).search).toBe('');
  });

  it.each(looks)('is accessible in %s', async (look, options) => {
    const { page, rig } = await visit(options);
    const enter = page.getByRole('button', { name: 'Sign in' });
    await enter.waitFor();
    const take = async (name: string) => {
      expect(await objections(page)).toEqual([]);
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}-${look}.png` });
    };
    await take('sign-in');
    await page.goto(`http://127.0.0.1:${rig.port}/?sign-in=refused`);
    await page.getByRole('alert').waitFor();
    await take('refused');
    await enter.click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    if (look === 'phone')
      await page
        .getByRole('button', { name: /rooms|menu/i })
        .first()
        .click();
    await page.getByRole('button', { name: /You are signed in as/ }).waitFor();
    await take('signed-in');
  });
});
