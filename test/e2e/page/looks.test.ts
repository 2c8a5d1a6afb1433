import { expect, it } from 'vitest';
import { postMessage } from '../../fakes/console-world.ts';
import { ask, describeInChromium, phone, type Visit } from './stage.ts';

function ground({ page }: Visit): Promise<unknown> {
  return page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
}

describeInChromium('the page itself', (stage) => {
  it('follows the machine’s light or dark scheme, and keeps another choice', async () => {
    const visit = await stage.visit({ context: { colorScheme: 'dark' } });
    const { page } = visit;
    await page.locator('.room-pane').waitFor();
    const dark = await ground(visit);
    const theme = page.getByRole('button', { name: /^Colors:/ });
    await theme.click();
    await expect.poll(() => ground(visit)).not.toBe(dark);
    const light = await ground(visit);
    await page.reload();
    await page.locator('.room-pane').waitFor();
    await expect.poll(() => ground(visit)).toBe(light);
    await theme.click();
    await expect.poll(() => ground(visit)).toBe(dark);
  });

  it('fits a phone: rooms over the page, the thread in its place, nothing wider than the screen', async () => {
    const visit = await stage.visit({ context: phone });
    const { page, newest } = visit;
    const rooms = page.getByRole('button', { name: 'field-service' });
    await page.locator('.room-pane').waitFor();
    await expect.poll(() => rooms.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Show rooms' }).click();
    await rooms.click();
    await page.getByRole('heading', { name: 'field-service', exact: true }).waitFor();
    await page.locator('.room-pane textarea').fill('@knowledge wide');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.thread-pane .reply').waitFor();
    newest().append(
      `| ${'column | '.repeat(12)}\n|${'---|'.repeat(12)}\n| ${'value | '.repeat(12)}\n\n\`\`\`\n${'x'.repeat(300)}\n\`\`\``,
    );
    newest().set({ state: 'done' });
    await page.locator('.thread-pane table').waitFor();
    await expect.poll(() => page.locator('.room-pane').isVisible()).toBe(false);
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.locator('.thread-pane .timeline').evaluate((e) => e.scrollWidth - e.clientWidth)).toBe(
      0,
    );
    const tools = page.locator('.thread-pane .reply-actions');
    await expect.poll(async () => (await tools.boundingBox())?.height).toBeLessThan(40);
    await page.goBack();
    await page.locator('.room-pane').waitFor({ state: 'visible' });
    const field = await page.locator('.room-pane textarea').boundingBox();
    expect(field?.height).toBeGreaterThan(36);
  });

  it('works by keyboard: skip link, arrow keys through the rooms, Escape out of a thread', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await ask(visit, '@knowledge hello');
    await expect
      .poll(() => page.evaluate('document.activeElement.closest(".thread-pane") !== null'))
      .toBe(true);
    await page.evaluate('document.body.tabIndex = -1; document.body.focus()');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to messages');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('log');
    await page.getByRole('button', { name: 'general' }).focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('field-service');
    await page.keyboard.press('Escape');
    await page.locator('.thread-pane').waitFor({ state: 'detached' });
  });

  it('fetches earlier messages without moving the visible ones', async () => {
    const visit = await stage.visit({ hash: '#/r/onboarding' });
    const { page, server } = visit;
    await page.locator('.room-pane').waitFor();
    for (let count = 0; count < 230; count++)
      postMessage(server.world, 'onboarding', {
        as: 'ben',
        text: `word ${count}`,
        files: [],
        nonce: `n${count}`,
      });
    await page.reload();
    await page.getByText('word 229').waitFor();
    await expect.poll(() => page.locator('.message').count()).toBe(200);
    const oldest = page.getByText('word 30', { exact: true });
    const button = page.getByRole('button', { name: 'Show earlier messages' });
    await button.scrollIntoViewIfNeeded();
    const before = await oldest.boundingBox();
    await button.click();
    await page.getByText('word 0', { exact: true }).waitFor({ state: 'attached' });
    await button.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.message').count()).toBe(230);
    const moved = ((await oldest.boundingBox())?.y ?? 0) - (before?.y ?? 0);
    expect(Math.abs(moved)).toBeLessThan(200);
  });

  it('shows no motion to people who prefer reduced motion', async () => {
    const visit = await stage.visit();
    await visit.page.emulateMedia({ reducedMotion: 'reduce' });
    await ask(visit, '@knowledge calm');
    const dot = visit.page.locator('.thinking-mark i').first();
    expect(await dot.evaluate((e) => e.ownerDocument.defaultView.getComputedStyle(e).animationDuration)).toBe(
      '0s',
    );
  });
});
