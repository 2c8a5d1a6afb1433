#!/usr/bin/env node
import * as module from 'node:module';
import {
  buildPage,
  dieWithLauncher,
  inRoot,
  installMissing,
  isClone,
  isNodeNewEnough,
  resolveOwnImports,
  runUnderProjectNode,
} from './first-step.js';

const args = process.argv.slice(2);
installMissing();
if (isNodeNewEnough()) {
  dieWithLauncher();
  if (args[0] === 'start') buildPage();
  module.enableCompileCache?.(isClone ? inRoot('node_modules/.cache/parley') : undefined);
  resolveOwnImports();
  await import(isClone ? '../src/main.ts' : '../dist/src/main.js');
} else {
  runUnderProjectNode(inRoot('bin/parley.js'), args);
}
