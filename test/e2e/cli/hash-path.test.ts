/** Tests that Parley names the cure if it cannot be built in the folder where it was cloned. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../../../bin', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'parley-path-'));
afterEach(() => rmSync(folder, { recursive: true }));

it('a clone below a folder with "#" in its name says that the console page needs another path', () => {
  const clone = join(folder, 'work #1', 'parley');
  for (const path of ['src', 'adapters/console/page']) mkdirSync(join(clone, path), { recursive: true });
  for (const path of ['src/main.ts', 'adapters/console/page/vite.config.ts', 'package-lock.json'])
    writeFileSync(join(clone, path), '');
  cpSync(bin, join(clone, 'bin'), { recursive: true });
  const firstStep = pathToFileURL(join(clone, 'bin/first-step.js')).href;
  const script = `import { buildPage } from ${JSON.stringify(firstStep)}; buildPage();`;
  const args = ['--input-type=module', '--eval', script];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status).toBe(69);
  expect(stderr).toBe(
    `The console page cannot be built in ${clone}, because the path contains "#" or "?". Rename or move the folder.\n`,
  );
});
