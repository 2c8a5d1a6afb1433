import { expect, it } from 'vitest';
import { ask, describeInChromium, drawn, pressMore, type Visit } from './stage.ts';

const pressed = ({ server }: Visit) =>
  server.world.acts.map(({ what, body }) => ({ what, ...(body as object) }));

async function answered(visit: Visit): Promise<void> {
  await ask(visit, '@knowledge how often?');
  visit.newest().set({ state: 'writing' });
  visit.newest().append('Every six months.');
  visit.newest().set({ state: 'done' });
}

describeInChromium('the buttons under an answer in the page', (stage) => {
  it('ask for one more version, show the others by arrows, and ask another agent', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await answered(visit);
    const thread = page.locator('.thread-pane');
    await thread.getByRole('button', { name: 'Regenerate' }).click();
    await expect.poll(() => pressed(visit)).toMatchObject([{ what: 'regenerate', as: 'ada' }]);
    newest().set({ editions: { shown: 2, count: 2 } });
    const versions = thread.getByRole('group', { name: 'Version 2 of 2' });
    await versions.waitFor();
    await expect
      .poll(() => versions.getByRole('button', { name: 'Show the later version' }).isDisabled())
      .toBe(true);
    await versions.getByRole('button', { name: 'Show the earlier version' }).click();
    await expect.poll(() => pressed(visit).at(-1)).toMatchObject({ what: 'show', edition: 1 });
    newest().set({ editions: { shown: 1, count: 2 } });
    await thread.getByRole('group', { name: 'Version 1 of 2' }).waitFor();
    await pressMore(page.locator('.thread-pane'), 'Ask another agent');
    const dialog = page.getByRole('dialog', { name: 'Ask another agent' });
    await expect.poll(() => dialog.getByRole('radio').count()).toBe(2);
    await dialog.getByText('analyst').click();
    await dialog.getByRole('button', { name: 'Ask', exact: true }).click();
    await expect.poll(() => pressed(visit).at(-1)).toMatchObject({ what: 'ask', agent: 'analyst' });
    await dialog.waitFor({ state: 'detached' });
    expect(visit.faults).toEqual([]);
  });

  it('ask in private, and open the direct conversation', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await pressMore(page.locator('.thread-pane'), 'Ask in private');
    await page.getByRole('heading', { name: 'knowledge', exact: true, level: 2 }).waitFor();
    await expect.poll(() => page.locator('.room-pane .person-text').innerText()).toContain('how often?');
    visit.newest().append('For you, too.');
    visit.newest().set({ state: 'done' });
    await page.locator('.room-pane').getByRole('button', { name: 'More actions' }).click();
    const items = page.getByRole('menuitem');
    await expect
      .poll(() => items.allInnerTexts())
      .toEqual(['Ask another agent', 'Share answer', 'Show timeline']);
  });

  it('rate the answer, ask for the reason, withdraw the rating, and show why one is refused', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    const thread = page.locator('.thread-pane');
    const down = thread.getByRole('button', { name: 'Bad answer' });
    await expect.poll(() => down.getAttribute('aria-pressed')).toBe('false');
    await down.click();
    const dialog = page.getByRole('dialog', { name: 'What was wrong?' });
    await dialog.getByText('Your thumbs-down counts even if you close this form.').waitFor();
    await dialog.getByRole('textbox').fill('It is every year.');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(pressed(visit)).toMatchObject([
      { what: 'feedback', verdict: 'down' },
      { what: 'feedback', verdict: 'down', note: 'It is every year.' },
    ]);
    await expect.poll(() => down.getAttribute('aria-pressed')).toBe('true');
    await down.click();
    await expect.poll(() => pressed(visit).at(-1)).toMatchObject({ verdict: 'none' });
    await expect.poll(() => down.getAttribute('aria-pressed')).toBe('false');
    visit.server.world.hands.clear();
    await down.click();
    await page.getByText('This reply is over already.').waitFor();
    expect(await dialog.count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });
});

describeInChromium('a message of one’s own in the page', (stage) => {
  it('is edited in place, keeps a text that is refused, and is deleted, by its author only', async () => {
    const visit = await stage.visit();
    const { page, server } = visit;
    await answered(visit);
    const thread = page.locator('.thread-pane');
    const button = thread.getByRole('button', { name: 'Edit message' });
    const field = page.getByRole('textbox', { name: 'Edit message' });
    /** Resolves with the number of buttons that edit a message, for another person. */
    const speakAs = async (name: string) => {
      await page.getByRole('button', { name: /^You speak as/ }).click();
      await page.getByRole('menuitemradio', { name: new RegExp(name) }).click();
      await page.getByRole('button', { name: new RegExp(`^You speak as ${name}`) }).waitFor();
      return button.count();
    };
    await button.click();
    await expect.poll(() => field.inputValue()).toBe('@knowledge how often?');
    await field.fill('something else');
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
    await expect.poll(() => button.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    expect(await thread.locator('.person-text').innerText()).toContain('how often?');
    await button.click();
    await field.fill('@knowledge how');
    await field.press('Shift+Enter');
    await field.pressSequentially('seldom?');
    await field.press('Enter');
    await expect.poll(() => thread.locator('.person-text').innerText()).toContain('seldom?');
    await expect.poll(() => thread.locator('.edited').innerText()).toBe('edited');
    await button.click();
    await field.fill('@knowledge how often now?');
    server.world.refusal = 'I could not keep your message.';
    await field.press('Enter');
    await page.getByRole('alert').getByText('I could not keep your message.').waitFor();
    expect(await field.inputValue()).toBe('@knowledge how often now?');
    server.world.refusal = undefined;
    await field.press('Enter');
    await field.waitFor({ state: 'detached' });
    expect(await speakAs('Ben Okafor')).toBe(0);
    expect(await speakAs('Ada Lindqvist')).toBe(1);
    await thread.getByRole('button', { name: 'Delete message' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete message' });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await thread.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.message').count()).toBe(0);
    expect(visit.faults.filter((fault) => !fault.includes('503'))).toEqual([]);
  });

  it('stays in sight while it is edited at the end of a thread that fills the pane', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge long?');
    newest().append('A line of the answer.\n\n'.repeat(10));
    newest().set({ state: 'done' });
    await page.locator('.thread-pane .reply.done').waitFor();
    const frame = page.locator('.thread-pane .timeline');
    const free = await frame.evaluate(
      (one) => one.clientHeight - (one.firstElementChild?.getBoundingClientRect().height ?? 0),
    );
    const { width = 0, height = 0 } = page.viewportSize() ?? {};
    await page.setViewportSize({ width, height: Math.floor(height - free - 20) });
    await expect.poll(() => frame.evaluate((one) => one.scrollTop)).toBeGreaterThan(10);
    // Unlike `click`, this does not scroll.
    await page.locator('.thread-pane').getByRole('button', { name: 'Edit message' }).dispatchEvent('click');
    const field = page.getByRole('textbox', { name: 'Edit message' });
    await field.waitFor();
    await drawn(page);
    await drawn(page);
    const top = async (of: typeof field) => (await of.boundingBox())?.y ?? 0;
    expect(await top(field)).toBeGreaterThanOrEqual(await top(frame));
  });
});
