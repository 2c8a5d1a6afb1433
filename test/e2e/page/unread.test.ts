/** Tests unread messages in the browser: two people, two browsers of one person, a reload, hidden tabs, a phone. */

import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Turn } from '../../../src/kit.ts';
import { documentOf, show, turnOf } from '../../unit/console/rig.ts';
import { describeInChromium, drawn, phone, type RealVisit } from './stage.ts';

/** Opens the console in another browser, as a person. */
async function visitAs(
  { page, rig }: RealVisit,
  who: string,
  place: string,
  options: BrowserContextOptions = {},
) {
  const context = await page
    .context()
    .browser()
    ?.newContext({ viewport: { width: 1_360, height: 860 }, ...options });
  const other = await context?.newPage();
  if (!other) throw new Error('There is no browser.');
  await other.addInitScript(`localStorage.setItem('parley.who', ${JSON.stringify(who)})`);
  await other.goto(`http://127.0.0.1:${rig.port}/#/r/${place}`);
  await other.locator('.room-pane textarea').waitFor();
  return other;
}

/** Hides or shows a page as the browser does. Pages of a headless browser are always visible. */
const setHidden = (page: Page, hidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

const badge = (page: Page, room: string) =>
  page.locator('.room-link', { hasText: room }).locator('.unread-count');
const texts = async (page: Page, room: string) =>
  (await badge(page, room).allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));

describeInChromium('unread messages', (stage) => {
  it('are counted on rooms and in the title, survive a reload, and are read once seen, in every browser', async () => {
    const visit = await stage.real();
    const { rig } = visit;
    const away = await visitAs(visit, 'designer', 'general');
    const elsewhere = await visitAs(visit, 'designer', 'random');
    const root = await rig.say('support', { text: 'one' });
    await rig.say('support', { text: '@Designer two', thread: root.id });
    await rig.say('support', { as: 'designer', text: 'mine' });
    for (const page of [away, elsewhere]) {
      await expect.poll(() => page.title()).toBe('(2) Parley');
      await expect.poll(() => texts(page, 'support')).toEqual(['@1 mentions of you,', '2 new']);
    }
    expect(await visit.page.title()).not.toContain('(2)');
    await away.reload();
    await expect.poll(() => away.title()).toBe('(2) Parley');
    await away.locator('.room-link', { hasText: 'support' }).click();
    await away.locator('.day.fresh').waitFor();
    expect(await away.locator('.thread-fresh').allInnerTexts()).toEqual(['1 new']);
    for (const page of [away, elsewhere]) await expect.poll(() => page.title()).toBe('Parley');
    await elsewhere.reload();
    await elsewhere.locator('.room-pane textarea').waitFor();
    expect(await elsewhere.title()).toBe('Parley');
    expect(visit.faults).toEqual([]);
    await Promise.all([away, elsewhere].map((page) => page.context().close()));
  });

  it('in the open room are not read while the tab is hidden or the person has scrolled up', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    for (let nth = 0; nth < 40; nth += 1) await rig.say('general', { as: 'designer', text: `old ${nth}` });
    await page.getByText('old 39').waitFor();
    await expect.poll(() => page.title()).toBe('Parley');
    await setHidden(page, true);
    await rig.say('general', { as: 'designer', text: 'while hidden' });
    await expect.poll(() => page.title()).toBe('(1) Parley');
    await setHidden(page, false);
    await expect.poll(() => page.title()).toBe('Parley');
    await page.locator('.day.fresh + .message', { hasText: 'while hidden' }).waitFor();
    const frame = page.locator('.room-pane .timeline');
    await frame.evaluate((one) => {
      one.scrollTop = 0;
    });
    await page.getByRole('button', { name: 'Jump to the newest' }).waitFor();
    const late = await rig.say('general', { as: 'designer', text: 'while away' });
    await expect.poll(() => page.title()).toBe('(1) Parley');
    await page.getByRole('button', { name: 'New messages' }).click();
    await expect.poll(() => page.title()).toBe('Parley');
    await drawn(page);
    expect(await page.locator('.pill').count()).toBe(0);
    await rig.post(`/console/messages/${late.id}/delete`, { as: 'designer' });
    expect(visit.faults).toEqual([]);
  });

  it('on a phone, an open thread reads its own answers, and the room stays unread', async () => {
    const visit = await stage.real();
    const { rig } = visit;
    const page = await visitAs(visit, 'designer', 'general', phone);
    const root = await rig.say('general', { as: 'designer', text: 'a root' });
    await page.locator('.room-pane .person-text', { hasText: 'a root' }).hover();
    await page.getByRole('button', { name: 'Reply in a thread' }).click();
    await page.locator('.thread-pane textarea').waitFor();
    await rig.say('general', { text: 'in the thread', thread: root.id });
    await page.locator('.thread-pane').getByText('in the thread').waitFor();
    await rig.say('general', { text: 'in the room' });
    await expect.poll(() => page.title()).toBe('(1) Parley');
    await page.getByRole('button', { name: 'Back to the room' }).click();
    await expect.poll(() => page.title()).toBe('Parley');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.context().close();
  });
});

describeInChromium('a notification', (stage) => {
  const fake = `
    window.shown = []; window.asked = 0;
    window.Notification = class {
      static permission = 'default';
      static async requestPermission() { window.asked += 1; return (this.permission = 'granted'); }
      constructor(title, { body, tag }) { this.close = () => {}; window.shown.push({ title, body, tag }); window.last = this; }
    };`;

  it('says that an answer ended while the tab was hidden, without its text, and opens the thread', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    await page.addInitScript(fake);
    await page.reload();
    const field = page.locator('.room-pane textarea');
    await field.waitFor();
    expect(await page.evaluate('window.asked')).toBe(0);
    await page.getByRole('button', { name: 'Notify me when an answer ends' }).click();
    await page.getByRole('button', { name: 'Switch notifications off' }).waitFor();
    expect(await page.evaluate('window.asked')).toBe(1);
    const question = `@knowledge ${'how '.repeat(40)}`;
    const begun: Turn[] = [];
    for (const [nth, text] of ['@knowledge seen', question].entries()) {
      await field.fill(text);
      await field.press('Enter');
      await expect.poll(() => rig.host.taken.length).toBe(nth + 1);
      const turn = turnOf(rig.host.taken[nth], `turn-${nth + 1}`);
      begun.push(await show(rig, turn, [documentOf(turn, { state: 'writing', text: 'secret' })]));
      await page.locator('.thread-pane .reply').waitFor();
    }
    const end = async (turn: Turn | undefined) =>
      turn &&
      (await show(rig, turn, [documentOf(turn, { state: 'done', text: 'secret answer', version: 2 })]));
    await page.locator('.room-link', { hasText: 'random' }).click();
    await end(begun[0]);
    await expect.poll(() => page.title()).toBe('(1) Parley');
    await setHidden(page, true);
    await end(begun[1]);
    await expect.poll(() => page.evaluate('window.shown.length')).toBe(1);
    expect(await page.evaluate('window.shown[0]')).toMatchObject({
      title: 'knowledge answered',
      body: `${question.trim().slice(0, 80)}…`,
    });
    await setHidden(page, false);
    await page.evaluate('window.last.onclick()');
    await page.locator('.thread-pane .message.found', { hasText: 'secret answer' }).waitFor();
    await page.getByRole('button', { name: 'Switch notifications off' }).click();
    await page.getByRole('button', { name: 'Notify me when an answer ends' }).waitFor();
    expect(visit.faults).toEqual([]);
  });
});
