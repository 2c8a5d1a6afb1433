/** Only a bridge that signs in as a managed identity loads Microsoft's SDK. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const url = (path: string) => new URL(`../../../${path}`, import.meta.url).href;

/** Paths of the CommonJS modules that are loaded once modules of ours are, in a process of its own. */
async function loadedWith(modules: readonly string[], then = ''): Promise<string> {
  const script = `import { createRequire } from 'node:module';
    let module;
    for (const each of ${JSON.stringify(modules.map(url))}) module = await import(each);
    ${then}
    console.log(Object.keys(createRequire('${url('package.json')}').cache).join());`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, options)).stdout;
}

test('neither the start of a bridge nor Teams loads it; a managed identity does', async () => {
  const signIn = `await module.createMachineIdentity({ appId: 'a', tenant: 't' })('').catch(() => {});`;
  const [start, teams, identity] = await Promise.all([
    loadedWith(['src/cli/start.ts', 'adapters/registry.ts']),
    loadedWith(['adapters/teams/index.ts']),
    loadedWith(['adapters/teams/sdk.ts'], signIn),
  ]);
  expect(start).not.toMatch(/botbuilder|botframework|@azure|@slack/);
  expect(teams).not.toMatch(/botbuilder|botframework|@azure/);
  expect(identity).toContain('/botbuilder/');
});
