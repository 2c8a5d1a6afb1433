/** Builds the console's page and prints, as its last line, the project's files that went into it. */
import { relative } from 'node:path';
import { build } from 'vite';

const built = await build({ configFile: process.argv[2], logLevel: 'error' });
const outputs = [built].flat().flatMap((bundle) => bundle.output);
const used = outputs
  .flatMap((output) => (output.type === 'chunk' ? output.moduleIds : []))
  .map((id) => id.replace(/\?.*$/, ''))
  .filter((id) => id.startsWith(process.cwd()) && !relative(process.cwd(), id).startsWith('node_modules'));
console.log(JSON.stringify([...new Set(used)].sort()));
