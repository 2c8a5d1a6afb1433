import { expect, it } from 'vitest';
import { CORPUS, call, KEY_CHAT, key, start, user } from '../../contract/sandbox/support.ts';
import { describeInChromium } from './stage.ts';

interface Overflow {
  /** Number of pixels by which the page is wider than the screen. */
  readonly page: number;
  /** Number of tables that scroll sideways. */
  readonly tables: number;
  /** Number of cells that reach beyond the screen. */
  readonly cells: number;
  /** Number of notes that wrapped below their cell's label. */
  readonly notes: number;
}

describeInChromium("the sandbox's operator page", (stage) => {
  it('fits a phone, whatever people asked', async () => {
    const sandbox = await start({ knowledge: [CORPUS] });
    const long = 'x'.repeat(150);
    const question = `https://example.org/${long} and setting_${long}`;
    await call(sandbox.url + KEY_CHAT, { body: user(question), headers: key('echo') });
    const { page } = await stage.visit({ context: { viewport: { width: 390, height: 844 } } });
    await page.goto(`${sandbox.url}/`);
    await page.getByText(long.slice(0, 40)).first().waitFor();
    // The code is a string, because the tests are type-checked without the browser's types.
    const found = await page.evaluate<Overflow>(`({
      page: document.documentElement.scrollWidth - window.innerWidth,
      tables: [...document.querySelectorAll('.scroll')].filter((it) => it.scrollWidth > it.clientWidth).length,
      cells: [...document.querySelectorAll('td')].filter((it) => it.getBoundingClientRect().right > window.innerWidth).length,
      notes: [...document.querySelectorAll('td:not(:first-child) > small')].filter((it) => it.getBoundingClientRect().left < 100).length,
    })`);
    expect(found).toEqual({ page: 0, tables: 0, cells: 0, notes: 0 });
    await sandbox.close();
  });
});
