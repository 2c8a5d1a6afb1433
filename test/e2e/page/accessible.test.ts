import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { objections, type Rules } from './axe.ts';
import { ask, describeInChromium, phone, pressMore, type Visit } from './stage.ts';

const answer = `# Maintenance

Every **six months** [1], see [the manual](https://example.com/manual) and \`list\`.

| part | interval | ${'wide | '.repeat(20)}
|---|---|${'---|'.repeat(20)}
| gear | 6 months | ${'value | '.repeat(20)}

\`\`\`js
const wide = '${'x'.repeat(200)}';
\`\`\`

- [x] done
- [ ] open

> A quote. ![Chart](chart-1)
`;

const ended = {
  state: 'done' as const,
  steps: [
    { id: '1', name: 'Searched the manuals', state: 'done' as const, elapsedMs: 1_200 },
    { id: '2', name: 'Read a page', state: 'failed' as const },
  ],
  media: [
    { id: 'm', kind: 'image' as const, name: 'Chart', inline: 'chart-1', address: '/console/media/chart-1' },
    { id: 'n', kind: 'image' as const, name: 'Photo', address: '/console/media/photo' },
    { id: 'f', kind: 'file' as const, name: 'Plan.pdf', link: 'https://files.example/plan.pdf' },
  ],
  sources: [
    {
      ...{ key: 'a', number: 1, title: 'Manual', kind: 'document' as const, score: 0.9 },
      link: 'https://docs.example/manual',
      fragments: [{ text: 'Every six months.', score: 0.9 }, { text: 'Sooner near the sea.' }],
    },
  ],
  suggestions: ['And on islands?'],
  notices: [{ tone: 'warning' as const, text: 'A source could not be read.' }],
  editions: { shown: 1, count: 2 },
};

/** Brings the page into each of its states, one after the other, and calls `look` in each state. */
async function walk(visit: Visit, look: (state: string) => Promise<void>): Promise<void> {
  const { page, newest, server } = visit;
  const thread = page.locator('.thread-pane');
  await page.locator('.room-pane').waitFor();
  await look('an empty room');
  await page.locator('.room-pane textarea').fill('@');
  await page.getByRole('listbox').waitFor();
  await look('the agent to ask');
  await page.keyboard.press('Escape');
  await ask(visit, '@knowledge how often?');
  await look('thinking');
  newest().set({ state: 'waiting', ahead: 2 });
  await thread.getByText('Waiting').waitFor();
  await look('waiting');
  newest().set({ state: 'writing', steps: [{ id: '1', name: 'Searching', state: 'running' }] });
  newest().append(answer);
  await thread.locator('table').waitFor();
  await look('writing');
  newest().set(ended);
  await thread.locator('.source-row').waitFor();
  await look('answered');
  await lookAtDialogs(visit, look);
  await thread.locator('.source-row').click();
  await page.locator('.panel .source-card').waitFor();
  await look('the sources');
  await page.locator('.panel').getByRole('button', { name: 'Share' }).click();
  await page.getByRole('dialog', { name: 'Share a source' }).waitFor();
  await look('sharing a source');
  await page.getByRole('dialog').getByRole('button', { name: 'Share', exact: true }).click();
  await page.locator('.toast').waitFor();
  await page.getByRole('button', { name: 'Close Sources' }).click();
  await look('a shared source, and a passing word');
  await thread.getByRole('button', { name: 'More actions' }).click();
  await look('the other actions');
  await thread.getByRole('menuitem', { name: 'Show timeline' }).click();
  await page.locator('.receipt li').first().waitFor();
  await look('what the bridge did');
  await page.keyboard.press('Escape');
  newest().set({ ...ended, state: 'stopped', notices: [], retry: true });
  await thread.locator('.ending').waitFor();
  await look('stopped');
  newest().set({ state: 'failed', notices: [{ tone: 'error', text: 'The agent went silent.' }] });
  await thread.locator('.notice.error').waitFor();
  await look('failed');
  await thread.locator('textarea').fill('@knowledge and then?');
  await thread.locator('textarea').press('Enter');
  await expect.poll(() => thread.locator('.reply').count()).toBe(2);
  newest().set(ended);
  await expect.poll(() => thread.locator('.source-row').count()).toBe(2);
  await look('two answers');
  server.world.refusal = 'I could not keep your message.';
  await thread.locator('textarea').fill('lost');
  await thread.locator('textarea').press('Enter');
  await page.getByRole('alert').waitFor();
  await look('a refusal');
  server.world.deaf = true;
  server.cutStreams();
  await page.getByText('The connection is lost').waitFor();
  await look('no connection');
}

async function lookAtDialogs({ page }: Visit, look: (state: string) => Promise<void>): Promise<void> {
  const thread = page.locator('.thread-pane');
  await thread.getByRole('button', { name: 'Edit message' }).click();
  await page.getByRole('textbox', { name: 'Edit message' }).waitFor();
  await look('Edit message');
  await page.keyboard.press('Escape');
  for (const [button, dialog] of [
    ['Ask another agent', 'Ask another agent'],
    ['Bad answer', 'What was wrong?'],
    ['Delete message', 'Delete message'],
  ] as const) {
    if (button === 'Ask another agent') await pressMore(thread, button);
    else await thread.getByRole('button', { name: button }).click();
    await page.getByRole('dialog', { name: dialog }).waitFor();
    await look(dialog);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
}

describeInChromium('the page has no violations that axe finds', (stage) => {
  const widths: Readonly<Record<string, BrowserContextOptions>> = { 'on a desk': {}, 'on a phone': phone };
  for (const [name, context] of Object.entries(widths))
    it(`in any of its states, ${name}, light and dark`, async () => {
      const visit = await stage.visit({ context });
      const found: string[] = [];
      const look = async (state: string, rules: Rules) =>
        found.push(...(await objections(visit.page, rules)).map((one) => `${state}: ${one}`));
      await walk(visit, async (state) => {
        await visit.page.emulateMedia({ colorScheme: 'light' });
        await look(state, 'all');
        // Only the colours differ between a light and a dark page of the same width.
        await visit.page.emulateMedia({ colorScheme: 'dark' });
        await look(`${state}, dark`, 'colours');
      });
      expect(found).toEqual([]);
    });

  it('on the sign-in form, in the menus and without a room', async () => {
    const { page } = await stage.visit({ token: 'open sesame' });
    const found: string[] = [];
    const look = async (state: string) =>
      found.push(...(await objections(page)).map((one) => `${state}: ${one}`));
    await page.getByLabel('Console token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('token is wrong').waitFor();
    await look('sign-in');
    await page.getByLabel('Console token').fill('open sesame');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /You speak as/ }).click();
    await page.getByRole('menu').waitFor();
    await look('who speaks');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New room' }).click();
    await page.getByRole('dialog').waitFor();
    await look('a new room');
    await page.route('**/console/rooms/**', (route) => route.abort());
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'onboarding' }).click();
    await page.getByText('could not be reached').waitFor();
    await look('a room that cannot be loaded');
    await page.route('**/console/state', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await look('no server');
    expect(found).toEqual([]);
  });

  it('in the drawer of a phone', async () => {
    const { page } = await stage.visit({ context: phone });
    await page.getByRole('button', { name: 'Show rooms' }).click();
    await page.getByRole('button', { name: 'field-service' }).waitFor();
    expect(await objections(page)).toEqual([]);
  });
});
