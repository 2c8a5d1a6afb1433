/** A bridge without Teams never loads Microsoft's SDK. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const url = (path: string) => new URL(`../../../${path}`, import.meta.url).href;

/** Names of what is loaded after a module was, in a process of its own. */
async function loadedWith(module: string): Promise<string> {
  const script = `import { createRequire } from 'node:module';
    await import('${url(module)}');
    console.log(Object.keys(createRequire('${url('package.json')}').cache).join());`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, options)).stdout;
}

test('what starts the bridge brings none of it, and Teams does', async () => {
  const [without, withTeams] = await Promise.all([
    loadedWith('src/cli/start.ts'),
    loadedWith('adapters/teams/index.ts'),
  ]);
  expect(withTeams).toContain('botframework-connector');
  expect(without).not.toMatch(/botframework|@azure/);
});
