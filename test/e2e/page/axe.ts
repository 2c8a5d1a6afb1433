import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits for animations to end, because axe checks the colours of the current frame. */
const settle =
  'Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations === 1).map((one) => one.finished))';

const run = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.target.join(' '), node.any[0]?.message ?? ''].join(' | '))))`;

/** Returns all violations that axe finds in the current page, with all of axe's rules. */
export async function objections(page: Page): Promise<readonly string[]> {
  await page.evaluate(source);
  await page.evaluate(settle);
  const found: unknown = await page.evaluate(run);
  if (!Array.isArray(found)) throw new Error('axe did not answer with a list.');
  return found.map(String);
}
