import { expect, it } from 'vitest';
import { CORPUS, call, KEY_CHAT, key, start, user } from '../../contract/sandbox/support.ts';
import { describeInChromium } from './stage.ts';

describeInChromium("the sandbox's operator page", (stage) => {
  it('scrolls its tables on a phone, and not the page, whatever people asked', async () => {
    const sandbox = await start({ knowledge: [CORPUS] });
    const long = 'x'.repeat(150);
    const question = `https://example.org/${long} and setting_${long}`;
    await call(sandbox.url + KEY_CHAT, { body: user(question), headers: key('echo') });
    const { page } = await stage.visit({ context: { viewport: { width: 390, height: 844 } } });
    await page.goto(`${sandbox.url}/`);
    await page.getByText(long.slice(0, 40)).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
    await sandbox.close();
  });
});
