/** Builds the console's page and prints, as its last line, the project's files that went into it. */
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { build } from 'vite';

const built = await build({ configFile: process.argv[2], logLevel: 'error' });
const outputs = [built].flat().flatMap((bundle) => bundle.output);
const used = outputs
  .flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []))
  .map((id) => id.replace(/\?.*$/, ''))
  .map((id) => relative(process.cwd(), id))
  .filter((path) => !/^(\.\.|node_modules)([\\/]|$)/.test(path) && existsSync(path));
console.log(JSON.stringify([...new Set(used)].sort()));
