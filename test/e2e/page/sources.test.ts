import { expect, it } from 'vitest';
import type { SourceView } from '../../../adapters/console/wire.ts';
import { ask, describeInChromium, pressMore, type Visit } from './stage.ts';

const sources: readonly SourceView[] = [
  {
    ...{ key: 'a', number: 1, mark: 4, title: 'Service manual', kind: 'document', score: 0.9 },
    fragments: [
      { text: 'The weaker one.', score: 0.4 },
      { text: 'The stronger one.', score: 0.9 },
    ],
  },
  {
    key: 'b',
    number: 2,
    title: 'Bulletin 8',
    kind: 'document',
    fragments: [{ text: `Scoring was seen.\n\n| ${'wide | '.repeat(9)}\n|${'---|'.repeat(9)}` }],
  },
];

async function answered(visit: Visit): Promise<void> {
  await ask(visit, '@knowledge with sources');
  visit.newest().append('Twice a year [4], since the bulletin [2], not [9].');
  visit.newest().set({ state: 'done', sources });
  await visit.page.locator('.thread-pane .chip').first().waitFor();
}

const withMedia: readonly SourceView[] = [
  {
    ...{ key: 'a', number: 1, title: 'Service manual', kind: 'document' },
    fragments: [
      { text: 'See ![diagram](700001) and ![700002](700002).', score: 0.9 },
      { text: '700003', score: 0.4 },
    ],
  },
];

describeInChromium('sources in the page', (stage) => {
  it('show images in their passages as text, never by an id', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await ask(visit, '@knowledge with sources');
    visit.newest().append('Twice a year [1].');
    visit.newest().set({ state: 'done', sources: withMedia });
    await page.locator('.thread-pane .chip').first().click();
    const texts = () => page.locator('.source-card .fragments p').allInnerTexts();
    await expect
      .poll(async () => (await texts()).map((text) => text.replace(/\s+/g, ' ').trim()))
      .toEqual(['See diagram and image.', 'image']);
    await page.locator('.source-card').first().getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share a source' });
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.locator('.thread-pane .shared').waitFor();
    await expect.poll(() => page.locator('.shared-excerpt').innerText()).not.toContain('70000');
  });

  it('have numbers in the text and below it, and open at the pressed one, best passage first, as the timeline does', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await answered(visit);
    await expect.poll(() => page.locator('.chip').allInnerTexts()).toEqual(['1', '2']);
    await expect.poll(() => page.locator('.thread-pane .reply .markdown').innerText()).toContain('[9]');
    await expect
      .poll(() => page.locator('.source-row').allInnerTexts())
      .toEqual(['1\nService manual', '2\nBulletin 8']);
    await page.getByRole('button', { name: 'Source 2: Bulletin 8' }).click();
    await expect.poll(() => page.locator('.source-card.chosen h3').innerText()).toBe('Bulletin 8');
    const texts = await page.locator('.source-card').first().locator('.fragments p').allInnerTexts();
    expect(texts).toEqual(['The stronger one.', 'The weaker one.']);
    await expect
      .poll(() => page.locator('.panel-body').evaluate((e) => e.scrollWidth - e.clientWidth))
      .toBe(0);
    await pressMore(page, 'Show timeline');
    await expect.poll(() => page.locator('.receipt > li').count()).toBe(2);
    const last = await page.locator('.receipt > li').last().innerText();
    expect(last.toLowerCase()).toContain('first text');
    expect(last).toContain('+250 ms');
    for (const left of ['.panel', '.thread-pane']) {
      await page.keyboard.press('Escape');
      await page.locator(left).waitFor({ state: 'detached' });
    }
  });

  it('can be shared into the thread and into another room, and stay in the dialog if that is refused', async () => {
    const visit = await stage.visit();
    const { page, server } = visit;
    await answered(visit);
    await page.locator('.chip').first().click();
    await page.locator('.source-card').first().getByRole('button', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share a source' });
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.locator('.thread-pane .shared').waitFor();
    await expect.poll(() => page.locator('.thread-pane .shared-title').innerText()).toBe('Service manual');
    await page.locator('.source-card').first().getByRole('button', { name: 'Share' }).click();
    await dialog.getByText('#onboarding').click();
    server.world.refusal = 'You may not write there.';
    await dialog.getByRole('button', { name: 'Share' }).click();
    await expect.poll(() => dialog.getByRole('alert').innerText()).toBe('You may not write there.');
    server.world.refusal = undefined;
    await dialog.getByRole('button', { name: 'Share' }).click();
    await page.locator('.toast', { hasText: 'Shared in #onboarding.' }).getByText('Open').click();
    await page.locator('.room-pane .shared').waitFor();
    const shared = server.world.messages.filter((message) => message.shared);
    expect(shared.map((message) => message.room)).toEqual(['general', 'onboarding']);
  });

  it('are shared with a private answer if its person chooses to share it in a room', async () => {
    const visit = await stage.visit({ hash: '#/r/dm-ada-knowledge' });
    const { page, newest } = visit;
    const field = page.locator('.room-pane textarea');
    await field.fill('how often, for me?');
    await field.press('Enter');
    await page.locator('.room-pane .reply').waitFor();
    newest().append('Every **six** months [4].');
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0);
    newest().set({ state: 'done', sources: sources.slice(0, 1) });
    await pressMore(page, 'Share answer');
    const dialog = page.getByRole('dialog', { name: 'Share this answer' });
    await expect.poll(() => dialog.innerText()).toContain('Everyone in the room will see your question');
    await expect.poll(() => dialog.getByRole('radio').count()).toBe(3);
    await dialog.getByText('#onboarding').click();
    await dialog.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    const card = page.locator('.shared');
    await expect.poll(() => card.locator('strong').innerText()).toBe('six');
    await expect.poll(() => card.innerText()).toContain('how often, for me?');
    await expect.poll(() => card.locator('.shared-sources li').count()).toBe(1);
    await page.getByRole('button', { name: /You speak as Ada/ }).click();
    await page.getByRole('menuitemradio', { name: /Ben Okafor/ }).click();
    await expect.poll(() => card.getByRole('button').count()).toBe(0);
    expect(visit.faults).toEqual([]);
  });
});
