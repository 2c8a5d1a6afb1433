import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All of axe's rules, or only those about colours. */
export type Rules = 'all' | 'colours';

const COLOURS = ['color-contrast', 'link-in-text-block'];

function run(rules: Rules): string {
  const options = { resultTypes: ['violations'], ...(rules === 'colours' && { runOnly: COLOURS }) };
  return `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.target.join(' '), node.any[0]?.message ?? ''].join(' | '))))`;
}

/** Returns all violations that axe finds in the current page. */
export async function objections(page: Page, rules: Rules = 'all'): Promise<readonly string[]> {
  if (await page.evaluate('window.axe === undefined')) await page.evaluate(source);
  const found: unknown = await page.evaluate(run(rules));
  if (!Array.isArray(found)) throw new Error('axe did not answer with a list.');
  return found.map(String);
}
