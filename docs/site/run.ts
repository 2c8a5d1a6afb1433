/**
 * `npm run docs` builds the documentation site and prints its folder. `npm run docs -- --watch` serves the site on
 * this machine and updates it when a page changes. Both install the site generator first if it is missing.
 */

import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const here = new URL('.', import.meta.url).pathname;
const { values } = parseArgs({ options: { watch: { type: 'boolean', default: false } } });

// npm writes this file last, so if it exists, the installation is complete.
if (!existsSync(`${here}node_modules/.package-lock.json`)) {
  end(
    spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' }),
  );
}
const vitepress = ['node_modules/vitepress/bin/vitepress.js', values.watch ? 'dev' : 'build'];
/**
 * Matches a warning that VitePress's bundler prints at every start, because the bundler does not know the target in the
 * project's tsconfig.json.
 */
const NEWER_TARGET = /▲ \[WARNING\] Unrecognized target[^╵]*╵[^\n]*\n+/;

if (values.watch) {
  const server = spawn(process.execPath, vitepress, { cwd: here, stdio: ['inherit', 'inherit', 'pipe'] });
  server.stderr.on('data', (said: Buffer) => process.stderr.write(said.toString().replace(NEWER_TARGET, '')));
  server.on('close', (code) => process.exit(code ?? 1));
} else {
  // The bundler's warning goes to standard error, which is printed only if the build fails.
  end(spawnSync(process.execPath, vitepress, { cwd: here, stdio: ['inherit', 'inherit', 'pipe'] }));
  console.log(`The site is in ${here}dist.`);
}

/** If the command failed, prints its errors and ends the process with its exit code. */
function end({ status, stderr: said }: SpawnSyncReturns<Buffer>): void {
  if (status === 0) return;
  if (said !== null) console.error(said.toString());
  process.exit(status ?? 1);
}
