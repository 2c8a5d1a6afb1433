/** Tests what a virtual screen reader says on the main path: a question, its answer, the answer's actions, a dialog. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ask, describeInChromium, type Visit } from './stage.ts';

const bundle = fileURLToPath(import.meta.resolve('@guidepup/virtual-screen-reader/browser.js'));
const address = `data:text/javascript;base64,${readFileSync(bundle).toString('base64')}`;
/** More steps than any path through the page. */
const MOST_STEPS = 300;

/** Starts the screen reader on the page, which must be opened without its content security policy. */
async function openReader({ page }: Visit) {
  await page.getByRole('textbox').first().waitFor();
  await page.evaluate(`import('${address}').then(({ virtual }) => {
    window.reader = virtual;
    return virtual.start({ container: document.body });
  })`);
  return {
    /** Returns all that was said. */
    said: () => page.evaluate<readonly string[]>('reader.spokenPhraseLog()'),
    /** Moves on to a phrase that begins so, and returns what was said on the way. */
    readTo: (beginning: string) =>
      page.evaluate<readonly string[]>(`(async () => {
        const phrases = [];
        for (let nth = 0; nth < ${MOST_STEPS} && !phrases.at(-1)?.startsWith('${beginning}'); nth += 1) {
          await reader.next();
          phrases.push(await reader.lastSpokenPhrase());
        }
        return phrases;
      })()`),
  };
}

describeInChromium('a screen reader', (stage) => {
  it('hears an answer once, when it ends, and finds its actions by their names', async () => {
    const visit = await stage.visit({ context: { bypassCSP: true } });
    const reader = await openReader(visit);
    await ask(visit, '@knowledge how often?');
    const before = await reader.said();
    expect(before.at(-1)).toMatch(/^textbox, Reply in the thread/);
    visit.newest().set({ state: 'writing' });
    visit.newest().append('Every six ');
    visit.newest().append('months.');
    await visit.page.locator('.thread-pane').getByText('Every six months.').waitFor();
    expect(await reader.said()).toEqual(before);
    visit.newest().set({ state: 'done' });
    await expect
      .poll(async () => (await reader.said()).slice(before.length))
      .toEqual(['polite: knowledge answered: Every six months.']);
    await reader.readTo('log, Messages in the thread');
    const phrases = await reader.readTo('end of log, Messages in the thread');
    expect(phrases).toEqual(
      expect.arrayContaining([expect.stringMatching(/^article, knowledge, \d\d:\d\d/)]),
    );
    expect(phrases.filter((phrase) => phrase.startsWith('button, '))).toEqual([
      'button, Edit message',
      'button, Delete message',
      'button, Copy answer',
      'button, Regenerate, not disabled',
      'button, Good answer, not disabled, not pressed',
      'button, Bad answer, not disabled, not pressed',
      'button, More actions, not expanded, has popup menu',
    ]);
    expect(visit.faults).toEqual([]);
  });

  it('hears at once, and only once, that an answer failed', async () => {
    const visit = await stage.visit({ context: { bypassCSP: true } });
    const reader = await openReader(visit);
    await ask(visit, '@knowledge how often?');
    visit.newest().set({ state: 'failed', notices: [{ tone: 'error', text: 'The platform is down.' }] });
    const failed = 'assertive: knowledge could not answer: The platform is down.';
    await expect.poll(async () => (await reader.said()).at(-1)).toBe(failed);
    expect((await reader.said()).filter((phrase) => phrase.includes('The platform is down.'))).toEqual([
      failed,
    ]);
  });

  it('hears the title of a dialog, then its focused control, and the field of an edit', async () => {
    const visit = await stage.visit({ context: { bypassCSP: true } });
    const reader = await openReader(visit);
    await ask(visit, '@knowledge how often?');
    for (const [opener, ...phrases] of [
      ['Delete message', 'dialog, Delete message', 'button, Cancel'],
      ['New room', 'dialog, New room', 'textbox, Name, required'],
      ['Edit message', 'textbox, Edit message, Enter saves, Escape cancels.'],
    ] as const) {
      await visit.page.getByRole('button', { name: opener }).last().click();
      for (const phrase of phrases)
        await expect.poll(reader.said, { message: opener }).toContainEqual(expect.stringContaining(phrase));
      await visit.page.keyboard.press('Escape');
      await visit.page.getByRole('dialog').waitFor({ state: 'detached' });
    }
  });
});
