/** Tests that all tabs of a person share one event stream, and that a change of the leading tab loses nothing. */

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ask, describeInChromium, type Visit } from './stage.ts';

/** Hides or shows a page as the browser does. Pages of a headless browser are always visible. */
function setHidden(page: Page, hidden: boolean): Promise<unknown> {
  return page.evaluate(`
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

const answerOf = (page: Page) => page.locator('.thread-pane .reply .markdown').innerText();

/** Opens more tabs of the same person at the same place. */
async function openTabs({ page }: Visit, count: number): Promise<readonly Page[]> {
  const pages = [];
  for (let at = 0; at < count; at += 1) {
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await tab.locator('.room-pane textarea').waitFor();
    pages.push(tab);
  }
  return pages;
}

describeInChromium('several tabs of a person', (stage) => {
  it('share one event stream, and each shows every message once, in order', async () => {
    const visit = await stage.visit();
    const tabs = [visit.page, ...(await openTabs(visit, 5))];
    await expect.poll(() => visit.server.world.streams.size).toBe(1);
    for (const [at, tab] of tabs.entries()) {
      const field = tab.locator('.room-pane textarea');
      await field.fill(`message ${at}`);
      await field.press('Enter');
      await expect.poll(() => field.inputValue()).toBe('');
    }
    const expected = tabs.map((_, at) => `message ${at}`);
    for (const tab of tabs)
      await expect.poll(() => tab.locator('.room-pane .person-text').allInnerTexts()).toEqual(expected);
    expect(visit.server.world.streams.size).toBe(1);
    expect(visit.faults).toEqual([]);
  });

  const ends: readonly (readonly [string, (leader: Page) => Promise<unknown>])[] = [
    ['is closed', (leader) => leader.close()],
    ['crashes', (leader) => leader.goto('chrome://crash').catch(() => undefined)],
    [
      'is frozen',
      async (leader) => {
        const cdp = await leader.context().newCDPSession(leader);
        await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
      },
    ],
    [
      'hangs',
      async (leader) => {
        // A synchronous request without a response blocks the page as an endless loop does, but takes no CPU.
        await leader.route('**/never', () => undefined);
        await leader.evaluate(`void setTimeout(() => {
          const request = new XMLHttpRequest();
          request.open('GET', 'never', false);
          request.send();
        })`);
      },
    ],
    ['goes to another page', (leader) => leader.goto('about:blank')],
    ['reloads', (leader) => leader.reload()],
  ];
  it.each(ends)('lose nothing if the leading tab %s in the middle of an answer', async (_, end) => {
    const visit = await stage.visit();
    await ask(visit, '@knowledge count');
    const hand = visit.newest();
    hand.set({ state: 'writing' });
    hand.append('one ');
    const others = await openTabs(visit, 2);
    for (const tab of others) await expect.poll(() => answerOf(tab)).toBe('one');
    await expect.poll(() => visit.server.world.streams.size).toBe(1);
    hand.append('two ');
    await end(visit.page);
    for (const word of ['three ', 'four ', 'five ']) hand.append(word);
    for (const tab of others) await expect.poll(() => answerOf(tab)).toBe('one two three four five');
    hand.append('six');
    hand.set({ state: 'done' });
    for (const tab of others) await expect.poll(() => answerOf(tab)).toBe('one two three four five six');
    expect(await others[0]?.locator('.connection-lost').count()).toBe(0);
  });

  it('get again from the leading tab what one of them missed', async () => {
    const visit = await stage.visit();
    await ask(visit, '@knowledge count');
    visit.newest().append('one ');
    await visit.page.context().addInitScript(`
      const { set } = Object.getOwnPropertyDescriptor(BroadcastChannel.prototype, 'onmessage');
      Object.defineProperty(BroadcastChannel.prototype, 'onmessage', {
        set(listener) { set.call(this, (event) => window.deaf || listener(event)); },
      });
    `);
    const [deaf, other] = await openTabs(visit, 2);
    if (deaf === undefined || other === undefined) throw new Error('The tabs were not opened.');
    for (const tab of [deaf, other]) await expect.poll(() => answerOf(tab)).toBe('one');
    await deaf.evaluate('window.deaf = true');
    visit.newest().append('two ');
    await expect.poll(() => answerOf(other)).toBe('one two');
    expect(await answerOf(deaf)).toBe('one');
    await deaf.evaluate('window.deaf = false');
    for (const tab of [deaf, other]) await expect.poll(() => answerOf(tab)).toBe('one two');
    visit.newest().append('three');
    for (const tab of [deaf, other]) await expect.poll(() => answerOf(tab)).toBe('one two three');
    expect(visit.server.world.streams.size).toBe(1);
  });

  it('have no stream while all are hidden for a minute, and catch up when one is shown', async () => {
    const visit = await stage.visit();
    const { page, newest, server } = visit;
    await ask(visit, '@knowledge count');
    newest().append('one ');
    await expect.poll(() => answerOf(page)).toBe('one');
    await page.clock.install();
    await setHidden(page, true);
    await page.clock.fastForward(30_000);
    expect(server.world.streams.size).toBe(1);
    await page.clock.fastForward(31_000);
    await expect.poll(() => server.world.streams.size).toBe(0);
    newest().append('two');
    newest().set({ state: 'done' });
    await setHidden(page, false);
    await page.clock.fastForward(1_000);
    await expect.poll(() => answerOf(page)).toBe('one two');
    expect(server.world.streams.size).toBe(1);
  });
});

describeInChromium('a tab whose browser belongs to another person now', (stage) => {
  it('shows the page of the other person, and so do the other tabs', async () => {
    const visit = await stage.visit();
    let me = 'ada';
    await visit.page.context().route('**/console/state', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), me, signIn: 'provider' } });
    });
    await visit.page.context().route('**/console/events*', (route) => {
      const as = new URL(route.request().url()).searchParams.get('as');
      return as === me ? route.continue() : route.fulfill({ status: 403 });
    });
    await visit.page.reload();
    const tabs = [visit.page, ...(await openTabs(visit, 2))];
    for (const tab of tabs) await tab.locator('.person-switch').getByText('Ada Lindqvist').waitFor();
    await expect.poll(() => visit.server.world.streams.size).toBe(1);
    me = 'ben';
    visit.server.cutStreams();
    for (const tab of tabs) await tab.locator('.person-switch').getByText('Ben Okafor').waitFor();
    await expect.poll(() => visit.server.world.streams.size).toBe(1);
  });
});

describeInChromium('a request that gets no response', (stage) => {
  it('is reported within 5 s, and the text is kept', async () => {
    const visit = await stage.visit();
    const { page, server } = visit;
    // Other pages occupy all six connections of the browser to this server.
    const other = await page.context().newPage();
    await other.goto(`${server.address}/console/`);
    await other.evaluate(
      `for (let at = 0; at < 6; at += 1) new EventSource('/console/events?since=0&at=' + at)`,
    );
    await expect.poll(() => server.world.streams.size).toBe(6);
    const field = page.locator('.room-pane textarea');
    await field.fill('is anybody there?');
    await field.press('Enter');
    await page.getByText('has not responded').waitFor({ timeout: 7_000 });
    expect(await field.inputValue()).toBe('is anybody there?');
    await other.close();
    await expect.poll(() => page.locator('.room-pane .person-text').innerText()).toBe('is anybody there?');
    await page.getByText('has not responded').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('');
  });

  it('fails after 30 s, and its sentence disappears when the bridge responds again', async () => {
    const { page } = await stage.visit();
    const field = page.locator('.room-pane textarea');
    await page.clock.install();
    await page.route('**/console/{rooms,sign-in}/**', () => undefined);
    await page.route('**/console/sign-in', (route) => route.abort());
    await field.fill('hello');
    await field.press('Enter');
    await page.clock.fastForward(31_000);
    await page.getByRole('alert').getByText('could not be reached').waitFor();
    await page.clock.fastForward(4_000);
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.unrouteAll();
    await page.clock.fastForward(4_000);
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await field.inputValue()).toBe('hello');
    await field.press('Enter');
    await expect.poll(() => page.locator('.room-pane .person-text').allInnerTexts()).toEqual(['hello']);
  });
});
