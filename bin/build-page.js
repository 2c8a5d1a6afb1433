/** Builds the console's page. As its last line, prints a list of the project's files from which the page was built. */
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
