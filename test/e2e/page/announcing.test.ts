import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { isFinal, type ReplyDocument, type Turn } from '../../../src/kit.ts';
import { documentOf, type Rig, show, turnOf } from '../../unit/console/rig.ts';
import { describeInChromium, type RealVisit } from './stage.ts';

/** Script for the page: records each line that is added to a live region, which a screen reader would read out. */
const listen = `
  window.heard = [];
  for (const region of document.querySelectorAll('[aria-live]:not([aria-live="off"]), [role="alert"], [role="status"]'))
    new MutationObserver((all) => {
      for (const one of all) for (const node of one.addedNodes)
        window.heard.push([region.getAttribute('aria-live') ?? region.getAttribute('role'), node.textContent]);
    }).observe(region, { childList: true, subtree: true });
  new MutationObserver((all) => {
    for (const one of all) for (const node of one.addedNodes)
      if (node.querySelector) for (const alert of [node, ...node.querySelectorAll('*')])
        if (alert.matches('[role="alert"]')) window.heard.push(['alert', alert.textContent]);
  }).observe(document.body, { childList: true, subtree: true });
`;

const heard = (page: Page): Promise<unknown> => page.evaluate('window.heard');

/** Asks a question with the page's composer. Returns the question's turn. */
async function begin({ page, rig }: RealVisit, text: string): Promise<Turn> {
  await page.locator('.room-pane textarea').waitFor();
  await page.evaluate(listen);
  return await askMore(page, rig, text);
}

async function askMore(page: Page, rig: Rig, text: string): Promise<Turn> {
  const before = rig.host.taken.length;
  const field = page.locator('.room-pane textarea');
  await field.fill(text);
  await field.press('Enter');
  await expect.poll(() => rig.host.taken.length).toBe(before + 1);
  return turnOf(rig.host.taken[before], `turn-${before + 1}`);
}

async function grow(rig: Rig, turn: Turn, ...steps: readonly Partial<ReplyDocument>[]): Promise<Turn> {
  const documents = steps.map((step, at) => documentOf(turn, { version: at + 1, ...step }));
  return await show(rig, turn, documents);
}

/** Holds back the requests to matching addresses until the returned function is called. */
async function hold(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

const thinking = { state: 'thinking' } as const;

describeInChromium('an announcement for screen readers', (stage) => {
  it('is made once for each answer when it ends', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const turn = await begin(visit, '@knowledge how often?');
    await grow(
      rig,
      turn,
      thinking,
      { state: 'writing', text: 'Every **six-month**' },
      { state: 'writing', text: 'Every **six-month** period [1]. See [the manual](https://example.com).' },
      { state: 'done', text: 'Every **six-month** period [1]. See [the manual](https://example.com).' },
    );
    await page.locator('.thread-pane .reply.done').waitFor();
    await expect
      .poll(() => heard(page))
      .toEqual([['polite', 'knowledge answered: Every six-month period. See the manual.']]);
    expect(visit.faults).toEqual([]);
  });

  it('is repeated for an answer with the same words, and for a new version', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const first = await begin(visit, '@knowledge how often?');
    await grow(rig, first, thinking, { state: 'done', text: 'Yes.' });
    await expect.poll(() => heard(page)).toEqual([['polite', 'knowledge answered: Yes.']]);
    const anew = {
      ...first,
      id: 'turn-9' as Turn['id'],
      origin: { kind: 'regenerate', of: first.id, by: 'x' },
    };
    await grow(rig, { ...anew, reply: first.id } as Turn, thinking, { state: 'done', text: 'Yes.' });
    await expect
      .poll(() => heard(page))
      .toEqual([
        ['polite', 'knowledge answered: Yes.'],
        ['polite', 'knowledge answered: Yes.'],
      ]);
  });

  it('is made for an answer that is fetched before the event stream is open', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const openStream = await hold(page, '**/console/events*');
    await page.reload();
    const fetchThread = await hold(page, '**/console/rooms/general/threads/**');
    const turn = await begin(visit, '@knowledge how often?');
    await grow(rig, turn, thinking, { state: 'done', text: 'Yes.' });
    fetchThread();
    const once = [['polite', 'knowledge answered: Yes.']];
    await expect.poll(() => heard(page)).toEqual(once);
    openStream();
    await rig.say('general', { as: 'designer', text: 'thanks' });
    await page.locator('.room-pane').getByText('thanks').waitFor();
    expect(await heard(page)).toEqual(once);
  });

  it('is made at once for Stop', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const turn = await begin(visit, '@knowledge slowly');
    const half = { state: 'writing', text: 'So far' } as const;
    const growing = await grow(rig, turn, thinking, half);
    rig.host.answer = async () => {
      const stopped = { ...half, version: 9, state: 'stopped', retry: true } as const;
      await show(rig, growing, [documentOf(turn, stopped)]);
      return { kind: 'stopped' };
    };
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => heard(page)).toEqual([['assertive', 'knowledge was stopped.']]);
  });

  it('waits until a dialog is closed, which would silence it', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const turn = await begin(visit, '@knowledge how often?');
    await page.getByRole('button', { name: 'New room' }).click();
    const done = { state: 'done', text: 'Twice.' } as const;
    expect(isFinal(documentOf(turn, done))).toBe(true);
    await grow(rig, turn, thinking, done);
    await page.locator('.thread-pane .reply.done').waitFor();
    expect(await heard(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => heard(page)).toEqual([['polite', 'knowledge answered: Twice.']]);
  });

  it('is made for an answer in another room only to the person who asked, with the room', async () => {
    const visit = await stage.real();
    const { page, rig } = visit;
    const turn = await begin(visit, '@knowledge how often?');
    await rig.say('general', { as: 'designer', text: '@knowledge and me?' });
    const foreign = turnOf(rig.host.taken[1], 'turn-2');
    await page.getByRole('button', { name: 'random' }).click();
    await page.getByRole('heading', { name: 'random', exact: true, level: 2 }).waitFor();
    await grow(rig, foreign, thinking, { state: 'done', text: 'Never.' });
    await grow(rig, turn, thinking, { state: 'done', text: 'Twice.' });
    await expect.poll(() => heard(page)).toEqual([['polite', 'knowledge answered in general: Twice.']]);
  });
});
