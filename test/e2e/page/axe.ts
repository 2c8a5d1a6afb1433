import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits for animations to end, because axe checks the colours of the current frame. */
const settle =
  'Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations === 1).map((one) => one.finished))';

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
  await page.evaluate(source);
  await page.evaluate(settle);
  const found: unknown = await page.evaluate(run(rules));
  if (!Array.isArray(found)) throw new Error('axe did not answer with a list.');
  return found.map(String);
}
