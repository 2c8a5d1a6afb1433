/** Uses small suites to test bin/test.js, which runs the tests and prints their counts. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const COMMAND = new URL('../../../bin/test.js', import.meta.url).pathname;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function runOver(...bodies: readonly string[]): { code: number | null; written: string } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-command-'));
  folders.push(folder);
  const tests = bodies.map((body, nth) => `test('${nth}', () => { ${body} });`);
  writeFileSync(join(folder, 'some.test.mjs'), tests.join('\n'));
  const config = join(folder, 'vitest.config.mjs');
  writeFileSync(config, `export default { test: { globals: true, include: ['*.test.mjs'] } };`);
  const args = [COMMAND, '--root', folder, '--config', config];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, written: stdout };
}

test('the last line counts the tests, and the run succeeds if none has failed', () => {
  const { code, written } = runOver('', '');
  expect(written.trimEnd()).toMatch(/\n2 passed, 0 failed, 0 skipped$/);
  expect(code).toBe(0);
});

test('a failed test fails the run', () => {
  const { code, written } = runOver('', 'expect(1).toBe(2);');
  expect(written.trimEnd()).toMatch(/\n1 passed, 1 failed, 0 skipped$/);
  expect(code).toBe(1);
});
