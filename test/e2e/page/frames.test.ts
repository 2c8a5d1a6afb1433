/** Tests that nothing runs out of its frame or lies under something else, however long names and descriptions are. */

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { agents, people } from '../../fakes/console-world.ts';
import { ask, describeInChromium, pressMore } from './stage.ts';

const [ada, ...others] = people.map((person) => ({ ...person }));
const longName = 'Dr. Maximiliane Freifrau von Habsburg-Lothringen';
const setup = {
  me: 'ada',
  people: [{ ...ada, name: longName, title: 'Head of purchasing in Northern Europe' }, ...others],
  agents: [
    ...agents,
    { name: 'an-agent-with-a-rather-long-name', description: 'Short', seesImages: false },
    {
      name: 'finance',
      description: 'Explains the annual reports of all companies. '.repeat(5),
      seesImages: false,
    },
    ...Array.from({ length: 9 }, (_, at) => ({ name: `team-${at}`, description: 'Team', seesImages: false })),
  ],
};

/** Lets the server's state name a signed-in person with a long name, and agents with long names. */
function withLongNames(page: Page, more: object): Promise<unknown> {
  return page.route('**/console/state', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), ...setup, ...more } });
  });
}

/** Returns the texts inside the element that are cut off, or reach beyond its frame. */
function cutIn(page: Page, selector: string): Promise<readonly string[]> {
  // The code is a string, because the tests are type-checked without the browser's types.
  return page.evaluate(`(() => {
    const frame = document.querySelector('${selector}');
    const right = frame.getBoundingClientRect().right + 1;
    const isCut = (one) =>
      (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline') ||
      one.getBoundingClientRect().right > right;
    const visible = [...frame.querySelectorAll('*')].filter((one) => one.textContent && !one.closest('.unseen'));
    return visible.filter(isCut).map((one) => one.textContent);
  })()`);
}

describeInChromium('nothing is cut', (stage) => {
  const desktop = { viewport: { width: 1_180, height: 720 } };
  const phone = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
  it.each([
    ['a desktop', desktop, {}],
    ['a desktop, with a menu at the name', desktop, { connects: [{ channel: 'slack', title: 'Slack' }] }],
    ['a phone', phone, {}],
  ])('on %s', async (_, context, more) => {
    const visit = await stage.visit({ context });
    const { page, server, newest } = visit;
    await withLongNames(page, more);
    await page.reload();
    await ask(visit, '@knowledge How long is a pass valid?');
    newest().append('Two weeks.');
    newest().set({ state: 'done' });
    const question = server.world.find(newest().question.id);
    if (question) server.world.keep({ ...question, edited: true });
    await pressMore(page, 'Ask another agent');
    expect(await cutIn(page, 'dialog')).toEqual([]);
    const [dialog, cancel] = [page.getByRole('dialog'), page.getByRole('button', { name: 'Cancel' })];
    const [frame, button] = [await dialog.boundingBox(), await cancel.boundingBox()];
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(
      (frame?.y ?? 0) + (frame?.height ?? 0),
    );
    await cancel.click();
    await page.goto(`${server.address}/console/#/r/general`);
    const edited = await page.locator('.room-pane .edited').boundingBox();
    const row = await page.locator('.room-pane .thread-row').boundingBox();
    expect((edited?.y ?? 0) + (edited?.height ?? 0)).toBeLessThanOrEqual(row?.y ?? 0);
    if (context === phone) await page.getByRole('button', { name: 'Show rooms' }).click();
    await page.locator('.person-switch').getByText(longName).waitFor();
    expect(await cutIn(page, '.person-switch')).toEqual([]);
  });
});
