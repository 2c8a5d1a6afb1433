/** Tests what an answer with code, formulas, tables and footnotes becomes in a real browser. */

import { expect, it } from 'vitest';
import { objections } from './axe.ts';
import { ask, describeInChromium, type Visit } from './stage.ts';

const answer = `The mass is $E=mc^2$, it costs $5 and $10, and \`$x^2$\` is code.[^a] Not $\\href{javascript:1}{x}$.

\\[
\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} + \\boxed{x} + \\mathscr{L} + f'
\\]

| ${'wide column | '.repeat(12)}
|${'---|'.repeat(12)}
| ${'value | '.repeat(12)}

- [x] done
- [ ] open

\`\`\`ts
/** A comment. */
export const answer: number = 42 + Number('text' === typeof 1); // done
\`\`\`

\`\`\`mermaid
graph TD; A-->B;
\`\`\`

\`\`\`diff
-old
+new
\`\`\`

[^a]: Of a *body*.
`;

const parts = async ({ page }: Visit): Promise<string> => {
  const names: unknown = await page.evaluate(
    'performance.getEntriesByType("resource").map(({ name }) => name.replace(/.*[/](\\\\w+).*/, "$1")).join()',
  );
  return String(names);
};

describeInChromium('reading an answer in the page', (stage) => {
  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows code in colours, formulas, tables and footnotes, ${colorScheme}`, async () => {
      const visit = await stage.visit({ context: { colorScheme, viewport: { width: 1_100, height: 900 } } });
      const { page, newest, faults, foreign } = visit;
      await ask(visit, '@knowledge plain');
      newest().append('Only text.');
      await expect.poll(() => page.locator('.thread-pane .markdown').last().innerText()).toBe('Only text.');
      expect(await parts(visit)).not.toMatch(/colours|formula/);
      newest().append(`\n\n${answer}`);
      newest().set({ state: 'done' });
      const text = page.locator('.thread-pane .reply .markdown');
      await text.locator('.hljs-keyword').first().waitFor();
      await expect.poll(() => text.locator('.code').first().locator('code').innerText()).toContain('= 42 +');
      await expect.poll(() => text.locator('math').count()).toBe(2);
      expect(
        await text
          .locator('math mtable, math .tml-fbox')
          .first()
          .evaluate((e) => e.namespaceURI),
      ).toBe('http://www.w3.org/1998/Math/MathML');
      expect(await text.locator('.formula-source').allInnerTexts()).toEqual(['$\\href{javascript:1}{x}$']);
      await expect.poll(() => text.locator('p').nth(1).innerText()).toContain('it costs $5 and $10');
      expect(await text.locator('.code').nth(1).locator('code span').count()).toBe(0);
      const table = page.getByRole('figure', { name: 'Table' });
      await table.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => table.evaluate((e) => e.scrollLeft)).toBeGreaterThan(0);
      const boxes = text.getByRole('checkbox');
      expect([await boxes.nth(0).isChecked(), await boxes.nth(1).isChecked()]).toEqual([true, false]);
      expect(await boxes.nth(1).isDisabled()).toBe(true);
      await text.getByRole('button', { name: 'Footnote a' }).click();
      await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe('a Of a body.');
      expect(await objections(page)).toEqual([]);
      expect([faults, foreign]).toEqual([[], []]);
    });

  it('colours a block only when it is complete', async () => {
    const visit = await stage.visit();
    const { page, newest } = visit;
    await ask(visit, '@knowledge code');
    newest().set({ state: 'writing' });
    newest().append('```js\nconst first = 1;\n```\n\n```js\nconst second = 2;\n');
    const blocks = page.locator('.thread-pane .reply .code');
    await blocks.first().locator('.hljs-keyword').waitFor();
    expect(await blocks.nth(1).locator('.hljs-keyword').count()).toBe(0);
    newest().append('```\n\nAll.');
    await blocks.nth(1).locator('.hljs-keyword').waitFor();
  });

  it('shows people’s messages as Markdown, with only the mentions that were written', async () => {
    const visit = await stage.visit();
    const { page } = visit;
    await ask(
      visit,
      '@knowledge **bold**\nnext line `@vision` &#64;analyst [@knowledge](https://evil.example/x)\n- point',
    );
    const question = page.locator('.thread-pane .person-text');
    await expect.poll(() => question.locator('strong').innerText()).toBe('bold');
    await expect.poll(() => question.locator('p').first().innerText()).toContain('bold\nnext line');
    expect(await question.locator('li').allInnerTexts()).toEqual(['point']);
    expect(await question.locator('.mention').allInnerTexts()).toEqual(['@knowledge']);
    expect(await question.locator('a .mention').count()).toBe(0);
    expect(await question.locator('a').getAttribute('rel')).toBe('noreferrer noopener nofollow');
  });
});
