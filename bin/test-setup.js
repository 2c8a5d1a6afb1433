/**
 * Loaded by vitest once, before all tests: builds the console's page, which tests open in a browser, and makes a folder
 * for what test files share.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPage } from './first-step.js';

export function setup() {
  buildPage();
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  process.env.PARLEY_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
