/** Tests that Microsoft's SDK is loaded only for the sign-in as a managed identity. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const url = (path: string) => new URL(`../../../${path}`, import.meta.url).href;

/** Imports modules in a new process, and returns the paths of all loaded CommonJS modules. */
async function loadedWith(modules: readonly string[], then = ''): Promise<string> {
  const script = `import { createRequire } from 'node:module';
    let module;
    for (const each of ${JSON.stringify(modules.map(url))}) module = await import(each);
    ${then}
    console.log(Object.keys(createRequire('${url('package.json')}').cache).join());`;
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, options)).stdout;
}

test('a managed identity loads the SDK; the bridge’s start and Teams do not', async () => {
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
