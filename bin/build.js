/**
 * Implements `npm run build` and `npm pack`: writes the compiled code, the types of the entry points and the console's
 * page to dist/. Checks no types, so that it needs no optional package.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { buildPage, inRoot, installMissing, projectNode } from './first-step.js';

installMissing();
rmSync(inRoot('dist'), { recursive: true, force: true });
compile('tsconfig.build.json');
compile('tsconfig.types.json');
buildPage();
const page = 'adapters/console/page/dist';
cpSync(inRoot(page), inRoot(`dist/${page}`), {
  recursive: true,
  filter: (path) => !path.endsWith('.parley-stamp'),
});

function compile(project) {
  const tsc = inRoot('node_modules/typescript/bin/tsc');
  // One checker, because several take more CPU time: each derives the same types.
  const args = [tsc, '-p', inRoot(project), '--checkers', '1'];
  const { status } = spawnSync(projectNode, args, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
