/** Uses small suites to test bin/test.js, which runs tests and repeats those that failed. */

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

/** Runs the command on a file with two tests: one that succeeds, and one that fails in its first `times` runs. */
function runOver(times: number, ...flags: readonly string[]): { code: number | null; written: string } {
  const folder = mkdtempSync(join(tmpdir(), 'parley-second-try-'));
  folders.push(folder);
  writeFileSync(
    join(folder, 'stalls.test.mjs'),
    `import { appendFileSync, readFileSync } from 'node:fs';
     test('is valid', () => {});
     test('stalls', () => {
       appendFileSync(${JSON.stringify(join(folder, 'runs'))}, '.');
       expect(readFileSync(${JSON.stringify(join(folder, 'runs'))}).length).toBeGreaterThan(${times});
     });`,
  );
  const config = join(folder, 'vitest.config.mjs');
  writeFileSync(config, `export default { test: { globals: true, include: ['*.test.mjs'] } };`);
  const args = [COMMAND, '--root', folder, '--config', config, ...flags];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { code: status, written: stdout };
}

test('a test that fails once and passes alone is named, and does not fail the run', () => {
  const { code, written } = runOver(1, '--second-try');
  expect(written).toContain('Unstable tests, which failed once and passed alone; please fix them: stalls');
  expect(written.trimEnd()).toMatch(/\n2 passed, 0 failed, 0 skipped$/);
  expect(code).toBe(0);
});

test('a test that fails twice fails the run', () => {
  const { code, written } = runOver(2, '--second-try');
  expect(written.trimEnd()).toMatch(/\n1 passed, 1 failed, 0 skipped$/);
  expect(code).toBe(1);
});

test('without the flag, nothing runs twice', () => {
  const { code, written } = runOver(1);
  expect(written.trimEnd()).toMatch(/\n1 passed, 1 failed, 0 skipped$/);
  expect(code).toBe(1);
});
