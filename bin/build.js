/** `npm run build` and `npm pack`: what runs without the sources, in dist/: compiled code and the console's page. */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { buildPage, inRoot, installMissing, projectNode } from './first-step.js';

installMissing();
rmSync(inRoot('dist'), { recursive: true, force: true });
const compiled = spawnSync(
  projectNode,
  [inRoot('node_modules/typescript/bin/tsc'), '-p', inRoot('tsconfig.build.json')],
  {
    stdio: 'inherit',
  },
);
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
buildPage();
const page = 'adapters/console/page/dist';
cpSync(inRoot(page), inRoot(`dist/${page}`), {
  recursive: true,
  filter: (path) => !path.endsWith('.parley-stamp'),
});
