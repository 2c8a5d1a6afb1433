/** Tests the palette, its search, and the shortcuts in the browser. */

import { expect, it } from 'vitest';
import { objections } from './axe.ts';
import { describeInChromium, phone, type RealVisit } from './stage.ts';

const options = ({ page }: RealVisit) => page.getByRole('option').allInnerTexts();

describeInChromium('the palette', (stage) => {
  it('goes to rooms, agents and commands by keyboard, and gives the focus back', async () => {
    const visit = await stage.real();
    const { page } = visit;
    const composer = page.locator('.room-pane textarea');
    await composer.waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.waitFor();
    expect(await objections(page)).toEqual([]);
    await page.keyboard.press('Control+k');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await expect.poll(() => composer.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('sup');
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    const active = await field.getAttribute('aria-activedescendant');
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'support', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await objections(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });

  it('finds messages, marks the hits as text, and opens the one that is chosen', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const markup = 'pump <img src=x onerror=alert(1)>';
    const root = await rig.say('support', { text: 'about pumps' });
    await rig.say('support', { text: markup, thread: root.id });
    await rig.say('direct~designer~vision', { as: 'designer', text: 'private pump' });
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.keyboard.type('PUMP');
    await expect.poll(() => page.locator('mark').allInnerTexts()).toEqual(['pump', 'pump']);
    expect((await options(visit)).join()).toContain(markup);
    expect((await options(visit)).join()).not.toContain('private');
    await page.getByRole('option').filter({ hasText: 'onerror' }).click();
    await page.locator('.thread-pane .message.found', { hasText: markup }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('zzzz');
    await page.getByText('No messages contain these words.').waitFor();
    expect(visit.faults).toEqual([]);
  });

  it('finds conversations by their titles and by their agents', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    await rig.say('direct~engineer~vision', { text: 'Which valve leaks?' });
    await rig.say('direct~designer~vision', { as: 'designer', text: 'Which valve is private?' });
    await page.locator('.room-pane textarea').waitFor();
    for (const query of ['valve', 'visi']) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(query);
      const found = page.getByRole('option').filter({ hasNotText: 'Conversation with' });
      await expect
        .poll(() => found.allInnerTexts())
        .toEqual([expect.stringMatching(/Which valve leaks\?\s+vision/)]);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'vision', exact: true }).first().waitFor();
    }
    expect(visit.faults).toEqual([]);
  });

  it('opens an old message of a long conversation', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const room = 'direct~engineer~vision';
    await rig.say(room, { text: 'the oldest needle' });
    for (let nth = 0; nth < 420; nth += 1) await rig.say(room, { text: `hay ${nth}` });
    await page.locator('.room-pane textarea').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('needle');
    await page.locator('mark').click();
    const found = page.locator('.message.found', { hasText: 'the oldest needle' });
    await found.waitFor();
    await expect.poll(() => found.evaluate((one) => one.matches(':focus'))).toBe(true);
    await expect.poll(() => found.evaluate((one) => one.getBoundingClientRect().top >= 0)).toBe(true);
  });

  it('fits a phone', async () => {
    const visit = await stage.real(phone);
    const { page, rig } = visit;
    await rig.say('support', { text: `long ${'x'.repeat(300)}` });
    await page.locator('.room-pane').getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').fill('long');
    await page.locator('mark').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const box = await page.getByRole('dialog').boundingBox();
    expect((box?.x ?? -1) >= 0 && (box?.width ?? 999) <= 390).toBe(true);
    await page.getByRole('button', { name: 'Close search' }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  });
});

describeInChromium('a shortcut', (stage) => {
  it('? shows the help outside of fields only; Up in an empty field edits the last own message', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    await rig.say('general', { text: 'my own words' });
    await rig.say('general', { as: 'designer', text: 'not mine' });
    const composer = page.locator('.room-pane textarea');
    await page.getByText('not mine').waitFor();
    await composer.press('?');
    expect(await composer.inputValue()).toBe('?');
    await composer.press('ArrowUp');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await composer.fill('');
    await composer.press('ArrowUp');
    const field = page.getByRole('textbox', { name: 'Edit message' });
    await expect.poll(() => field.inputValue()).toBe('my own words');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.locator('.room-pane textarea:focus').waitFor();
    await page.locator('.room-pane .timeline').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(visit.faults).toEqual([]);
  });
});
