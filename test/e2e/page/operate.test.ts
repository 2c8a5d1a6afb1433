/** Tests the operator's page in a real browser, with a real store. */

import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../bench/free-ports.ts';
import { newTurn } from '../../contract/turn-makers.ts';
import { openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { openFilledStore, operating } from '../../unit/console/operate-rig.ts';
import { openSignInRig, signInConfig } from '../../unit/console/provider-rig.ts';
import { objections } from './axe.ts';
import { describeInChromium } from './stage.ts';

/** If set, the tests store their pictures in this folder. */
const pictures = process.env.PARLEY_PICTURES;
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

describeInChromium("the operator's page", (stage) => {
  let port: number;
  let provider: RealProvider;
  let filled: Awaited<ReturnType<typeof openFilledStore>>;
  beforeEach(async () => {
    port = await freePort();
    provider = await openProvider(`http://127.0.0.1:${port}`);
    filled = await openFilledStore(300);
  });
  afterEach(async () => {
    await provider.close();
    await filled.close();
  });

  const visit = async (options: BrowserContextOptions, ...who: readonly string[]) => {
    const { page, rig, faults } = await stage.real(options, (pageFolder) =>
      openSignInRig(signInConfig(provider.issuer, port), {
        config: { pageFolder },
        host: operating(filled.store, ...who),
      }),
    );
    const enter = page.getByRole('button', { name: 'Sign in' });
    await enter.waitFor();
    await page.goto(`http://127.0.0.1:${rig.port}/#/operate/turns?code=platform-down`);
    await enter.click();
    return { page, faults };
  };

  it('is not offered to others, who read why', async () => {
    const { page } = await visit({});
    await page.getByRole('alert').getByText('Only an operator').waitFor();
    await page.getByRole('button', { name: 'Open the console' }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
  });

  it('keeps the filters and the open turn in the address, and works with the keyboard', async () => {
    const { page } = await visit({}, 'member');
    await page.getByText('platform-down').first().waitFor();
    expect(await page.getByLabel('Error code').inputValue()).toBe('platform-down');
    await page.getByRole('link', { name: 'Failures' }).press('Enter');
    await page.getByRole('heading', { name: 'By cause' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
    await page.getByRole('link', { name: 'platform-server' }).first().press('Enter');
    await page.locator('a.turn-state').first().press('Enter');
    const panel = page.getByRole('region', { name: 'Turn' });
    await panel.getByText('Failed').waitFor();
    expect(page.url()).toMatch(/#\/operate\/turns\?code=platform-server&turn=turn\+\d+$/);
    await page.reload();
    await panel.getByText('Failed').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.count()).toBe(0);
    await page.getByRole('button', { name: 'Chat' }).click();
    await page.getByRole('link', { name: 'Operations' }).waitFor();
  });

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { ...phone, colorScheme: 'dark' }],
  ] as const)('is accessible in %s, and never wider than the screen', async (look, options) => {
    await filled.store.inbox.add(newTurn('1', '["slack","T1","C1","a"]'));
    await filled.store.inbox.claim();
    await filled.store.inbox.add(newTurn('2', '["slack","T1","C1","a"]'));
    const key = JSON.stringify(['slack', 'T1']);
    const owner = { channel: 'slack', tenant: 'T1' };
    await filled.store.keyed('calls').set(key, { p: { edit: Array(48).fill(Date.now()) } }, 60_000, owner);
    await filled.store.keyed('refused calls').set(key, { edit: [Date.now()] }, 60_000, owner);
    const { page, faults } = await visit(options, 'member');
    await page.getByText('platform-down').first().waitFor();
    for (const [tab, heading] of Object.entries(TABS)) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await page.getByRole('heading', { name: heading }).waitFor();
      await take(page, `${tab.toLowerCase()}-${look}`);
    }
    await page.getByRole('link', { name: 'Failures' }).click();
    await page.getByRole('table', { name: 'Unanswered questions' }).getByRole('row').last().click();
    await page.getByRole('region', { name: 'Turn' }).locator('dl').first().waitFor();
    await take(page, `turn-${look}`);
    // The first request is made before the sign-in.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  });

  const take = async (page: Page, name: string): Promise<void> => {
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/operate-${name}.png` });
    expect(await objections(page), name).toEqual([]);
    const width = 'document.documentElement.scrollWidth - window.innerWidth';
    expect(await page.evaluate(width), name).toBe(0);
  };
});

const TABS = {
  Now: 'Running and waiting',
  Turns: 'Ended turns',
  Failures: 'By cause',
  Feedback: 'Ratings',
  People: '0 people are linked',
};
