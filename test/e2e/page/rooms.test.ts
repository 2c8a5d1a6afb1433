/** Tests private rooms, archives and conversations in the built page, with the real server of the console. */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { documentOf, openRig, show, turnOf } from '../../unit/console/rig.ts';
import { objections } from './axe.ts';
import { describeInChromium, phone, type RealVisit } from './stage.ts';

const pictures = process.env.PARLEY_PICTURES;

/** Saves a picture of the page if the environment names a folder for pictures. */
async function picture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}.png` });
}

async function menu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

async function speakAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^You speak as/ }).click();
  await page.getByRole('menuitemradio', { name: new RegExp(name) }).click();
}

async function makePrivate(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New room' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.getByRole('radio', { name: 'Members only' }).check();
  await picture(page, `new-room-${page.viewportSize()?.width}`);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

/** Asks in the open direct conversation, and answers. */
async function askAndAnswer({ page, rig }: RealVisit, text: string, turn: string): Promise<void> {
  const field = page.locator('.room-pane textarea');
  await field.fill(text);
  await field.press('Enter');
  await expect.poll(() => rig.host.taken.length).toBeGreaterThan(0);
  await expect
    .poll(() => {
      const event = rig.host.taken.at(-1);
      return event?.kind === 'ask' && event.message.text;
    })
    .toBe(text);
  const asked = turnOf(rig.host.taken.at(-1), turn);
  const sources = [{ key: 'a', title: 'Handbook', kind: 'document', mark: 1, fragments: [] }] as const;
  await show(rig, asked, [documentOf(asked, { state: 'done', text: `About ${text} [1]`, sources })]);
  await page.locator('.room-pane .reply').getByText(`About ${text}`).waitFor();
}

describeInChromium('rooms in the page', (stage) => {
  it.each([
    ['a wide screen', {}],
    ['a phone in dark colours', { ...phone, colorScheme: 'dark' as const }],
  ])('are made private, shared with a member, renamed, archived and left on %s', async (_, options) => {
    const visit = await stage.real(options);
    const { page } = visit;
    const narrow = page.viewportSize()?.width === 390;
    const openSidebar = async () => {
      if (narrow) await page.getByRole('button', { name: 'Show rooms' }).click();
    };
    await page.locator('.room-pane').waitFor();
    await openSidebar();
    await makePrivate(page, 'Launch');
    await menu(page, 'Members');
    await page.getByLabel('Invite a person').fill('desi');
    await page.getByRole('radio', { name: 'Designer' }).check();
    await picture(page, `members-${page.viewportSize()?.width}`);
    expect(await objections(page)).toEqual([]);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText('Designer can now read').waitFor();
    await page.locator('.room-pane textarea').fill('@');
    const names = page.getByRole('listbox', { name: 'Names to mention' }).getByRole('option');
    await expect
      .poll(() => names.allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining('Designer')]));
    expect((await names.allInnerTexts()).join()).not.toContain('Manager');
    await picture(page, `mention-${page.viewportSize()?.width}`);
    await page.locator('.room-pane textarea').fill('');
    await menu(page, 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('Launch in May');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Launch in May', exact: true }).waitFor();
    await openSidebar();
    await speakAs(page, 'Manager');
    await page.getByText('private and you are not a member').waitFor();
    expect(await page.locator('.sidebar').innerText()).not.toContain('Launch');
    await speakAs(page, 'Designer');
    if (narrow)
      await page.getByRole('button', { name: 'Hide rooms' }).click({ position: { x: 380, y: 400 } });
    await page.getByRole('heading', { name: 'Launch in May', exact: true }).waitFor();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect
      .poll(() => page.getByRole('menuitem').allInnerTexts())
      .toEqual([' Members', ' Leave'].map((text) => expect.stringContaining(text.trim())));
    await picture(page, `menu-${page.viewportSize()?.width}`);
    expect(await objections(page)).toEqual([]);
    await page.getByRole('menuitem', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByRole('heading', { name: 'general', exact: true }).waitFor();
    await openSidebar();
    expect(await page.locator('.sidebar').innerText()).not.toContain('Launch');
    await speakAs(page, 'Engineer');
    await page.getByRole('button', { name: 'Launch in May' }).click();
    await menu(page, 'Archive');
    await page.getByText('it takes no new messages').waitFor();
    await openSidebar();
    await page.getByText('Archived (1)').click();
    await picture(page, `archived-${page.viewportSize()?.width}`);
    if (narrow)
      await page.getByRole('button', { name: 'Hide rooms' }).click({ position: { x: 380, y: 400 } });
    await menu(page, 'Open again');
    await page.locator('.room-pane textarea').waitFor();
    if (narrow) expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(visit.faults).toEqual([]);
  });

  it.each([
    ['a wide screen', {}],
    ['a phone in dark colours', { ...phone, colorScheme: 'dark' as const }],
  ])('offer the first questions, and keep groups of agents apart, on %s', async (_, options) => {
    const { page, rig, faults } = await stage.real(options, (pageFolder) =>
      openRig({
        config: { pageFolder },
        host: (host) =>
          Object.assign(host, {
            agents: () => [
              {
                name: 'knowledge',
                description: 'Knows',
                seesImages: false,
                questions: ['One?', 'Two?', 'Three?'],
              },
              { name: 'guide', description: 'Guides', seesImages: false, questions: ['Four?'] },
              { name: 'echo', description: 'Repeats', seesImages: false, group: 'Demonstrations' },
            ],
          }),
      }),
    );
    const opening = page.getByRole('region', { name: 'Questions to begin with' }).getByRole('button');
    await expect
      .poll(() => opening.allInnerTexts())
      .toEqual(['@knowledge One?', '@knowledge Two?', '@guide Four?']);
    expect(await page.getByRole('list', { name: 'Agents' }).innerText()).not.toContain('@echo');
    expect(await page.getByRole('list', { name: 'What to try' }).getByRole('listitem').count()).toBe(5);
    expect(await objections(page)).toEqual([]);
    if (options !== undefined && 'isMobile' in options)
      await page.getByRole('button', { name: 'Show rooms' }).click();
    const echo = page.getByRole('list', { name: 'Demonstrations' }).getByRole('button', { name: 'echo' });
    expect(await echo.isVisible()).toBe(false);
    await page.getByText('Demonstrations').click();
    await echo.first().click();
    await page.getByRole('heading', { name: 'echo' }).first().waitFor();
    expect(await opening.count()).toBe(0);
    await page.goBack();
    await opening.last().click();
    await page.locator('.thread-pane').waitFor();
    const event = rig.host.taken.at(-1);
    expect(event?.kind === 'ask' && event.message.text).toContain('Four?');
    expect(faults).toEqual([]);
  });

  it('list conversations with their titles, and export, rename and delete them', async () => {
    const visit = await stage.real({}, (pageFolder) =>
      openRig({
        config: { pageFolder },
        host: (host) =>
          Object.assign(host, {
            forgetRoom: async (tenant: string, room: string) => {
              await rigOf().adapter.forget?.({ kind: 'tenant', channel: 'console', tenant, room });
            },
          }),
      }),
    );
    const rigOf = () => visit.rig;
    const { page } = visit;
    await page.getByRole('button', { name: 'knowledge', exact: true }).click();
    await askAndAnswer(visit, 'first question about <b>lanes</b>', 't1');
    const titles = page.getByRole('list', { name: 'Conversations with knowledge' }).getByRole('button');
    await expect.poll(() => titles.allInnerTexts()).toEqual(['first question about <b>lanes</b>']);
    await page.getByRole('button', { name: 'New conversation' }).first().click();
    await expect.poll(() => titles.allInnerTexts()).toHaveLength(2);
    await askAndAnswer(visit, 'second question', 't2');
    await expect
      .poll(() => titles.allInnerTexts())
      .toEqual(['second question', 'first question about <b>lanes</b>']);
    await picture(page, 'conversations-light');
    expect(await objections(page)).toEqual([]);
    await menu(page, 'Rename');
    await page.getByRole('textbox', { name: 'Name' }).fill('Queues');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => titles.allInnerTexts()).toEqual(['Queues', 'first question about <b>lanes</b>']);
    const downloading = page.waitForEvent('download');
    await menu(page, 'Export as Markdown');
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('Queues.md');
    expect(await readFile(await download.path(), 'utf8')).toContain('About second question [1]');
    await menu(page, 'Delete');
    await picture(page, 'delete-light');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => titles.allInnerTexts()).toEqual(['first question about <b>lanes</b>']);
    await page.locator('.room-pane').getByText('About first question').waitFor();
    expect(visit.faults).toEqual([]);
  });
});
