import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ask, describeInChromium, phone, pressMore, type Visit } from './stage.ts';

/** Returns the accessible name of the focused element, or its tag. */
const focused = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const at = document.activeElement;
    return at.getAttribute('aria-label') ?? at.labels?.[0]?.innerText ?? at.innerText ?? at.tagName;
  })()`);

const expectFocus = (page: Page, name: string | RegExp) =>
  expect.poll(() => focused(page)).toEqual(typeof name === 'string' ? name : expect.stringMatching(name));

async function answered(visit: Visit): Promise<void> {
  await ask(visit, '@knowledge how often?');
  visit.newest().append('Every six months [1].');
  visit.newest().set({
    state: 'done',
    sources: [
      { key: 'a', number: 1, title: 'Manual', kind: 'document', fragments: [{ text: 'Every six months.' }] },
    ],
  });
  await visit.page.locator('.thread-pane .source-row').waitFor();
}

/** Presses a button, and returns whether what it opens has the focus before the browser paints it. */
const focusBeforePaint = (page: Page, opener: string, opened: string): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      const found = document.querySelector('${opened}');
      if (found === null) return;
      watch.disconnect();
      resolve(found.contains(document.activeElement));
    });
    watch.observe(document.body, { childList: true, subtree: true });
    document.querySelector('${opener}').click();
  })`);

describeInChromium('the focus', (stage) => {
  it('moves before the paint, so that no key goes elsewhere', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await page.keyboard.press('Escape');
    await page.locator('.thread-pane').waitFor({ state: 'detached' });
    for (const [opener, opened] of [
      ['.thread-row', '.thread-pane textarea'],
      ['.thread-pane .source-row', '.source-card.chosen'],
      ['[aria-label="Delete message"]', 'dialog'],
    ] as const)
      expect.soft(await focusBeforePaint(page, opener, opened), opened).toBe(true);
    expect(visit.faults).toEqual([]);
  });

  it('starts in the field of a dialog and returns to the button that opened it', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    for (const [opener, field] of [
      ['Delete message', 'Cancel'],
      ['Ask another agent', /^vision/],
      ['Bad answer', /^Anything else?/],
      ['New room', 'Name'],
    ] as const) {
      for (const leave of opener === 'Bad answer' ? ['Escape'] : ['Escape', 'Cancel', 'Close']) {
        const inMenu = opener === 'Ask another agent';
        const button = page.getByRole('button', { name: inMenu ? 'More actions' : opener }).last();
        // One call: between two calls, a busy page may replace the button.
        await button.press('Enter');
        if (inMenu) await page.getByRole('menuitem', { name: opener }).press('Enter');
        await page.getByRole('dialog').waitFor();
        await expectFocus(page, field);
        if (leave === 'Escape') await page.keyboard.press('Escape');
        else await page.getByRole('dialog').getByRole('button', { name: leave }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await expect.poll(() => button.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
      }
    }
    expect(visit.faults).toEqual([]);
  });

  it('reaches fields and choices with a name each; their hints describe them', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    const look = async (opener: string, role: 'radio' | 'textbox', name: string) => {
      if (opener === 'Ask another agent') await pressMore(page, opener);
      else await page.getByRole('button', { name: opener }).last().click();
      const field = page.getByRole('dialog').getByRole(role, { name, exact: true });
      await field.waitFor();
      const hint = await field.evaluate(
        (one) => one.ownerDocument.getElementById(one.getAttribute('aria-describedby') ?? '')?.innerText,
      );
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      return hint;
    };
    expect(await look('Ask another agent', 'radio', 'vision')).toBe('Describes and compares images');
    expect(await look('New room', 'textbox', 'About')).toBe('Optional');
    expect(visit.faults).toEqual([]);
  });

  it('stays on the page if the button that opened the dialog has gone', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await page.locator('.thread-pane').getByRole('button', { name: 'Delete message' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.locator('.thread-pane').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
  });

  for (const [where, context] of [
    ['on a desk', {}],
    ['on a phone', phone],
  ] as const)
    it(`returns from the panel and the thread to the buttons that opened them, ${where}`, async () => {
      const visit = await stage.visit({ context });
      const { page } = visit;
      await answered(visit);
      for (const [opener, close] of [
        [page.locator('.thread-pane .source-row'), 'Close Sources'],
        [page.getByRole('button', { name: 'More actions' }), 'Close Timeline'],
      ] as const) {
        await opener.focus();
        await page.keyboard.press('Enter');
        if (close === 'Close Timeline')
          await page.getByRole('menuitem', { name: 'Show timeline' }).press('Enter');
        await page.locator('.panel').waitFor();
        await page.getByRole('button', { name: close }).focus();
        await page.keyboard.press('Enter');
        await page.locator('.panel').waitFor({ state: 'detached' });
        await expect.poll(() => opener.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
      }
      await page.keyboard.press('Escape');
      await page.locator('.thread-pane').waitFor({ state: 'detached' });
      const row = page.locator('.thread-row');
      await row.focus();
      await page.keyboard.press('Enter');
      await page.locator('.thread-pane').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.thread-pane').waitFor({ state: 'detached' });
      await expect.poll(() => row.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    });

  it('enters the drawer of a phone and returns from it', async () => {
    const { page } = await stage.visit({ context: phone });
    await page.getByRole('button', { name: 'Show rooms' }).focus();
    await page.keyboard.press('Enter');
    await expectFocus(page, 'general');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Show rooms');
  });

  it('returns from the drawer of a phone if Escape is pressed before the paint', async () => {
    const { page } = await stage.visit({ context: phone });
    await page.getByRole('button', { name: 'Show rooms' }).focus();
    await page.evaluate(`new Promise((resolve) => {
      const frame = document.querySelector('.console');
      const watch = new MutationObserver(() => {
        watch.disconnect();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        resolve();
      });
      watch.observe(frame, { attributes: true, attributeFilter: ['data-menu'] });
      document.activeElement.click();
    })`);
    await page.locator('.console[data-menu]').waitFor({ state: 'detached' });
    await expectFocus(page, 'Show rooms');
  });

  it('stays on a busy button, and in the reply after Stop has finished', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge slowly');
    newest().set({ state: 'writing' });
    newest().append('So far');
    await page.getByRole('button', { name: 'Stop' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await expectFocus(page, 'Retry');
    newest().set({ state: 'done', retry: false, editions: { shown: 1, count: 3 } });
    const next = page.getByRole('button', { name: 'Show the later version' });
    await next.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => visit.server.world.acts.at(-1)).toMatchObject({ what: 'show' });
    await expectFocus(page, 'Show the later version');
  });
});
