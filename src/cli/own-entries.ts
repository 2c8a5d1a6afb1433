/** Lets channels from outside import Parley by its name, for example `import { defineChannel } from 'parley/kit'`. */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isTree, valueAt } from '../settings/tree.ts';
import { projectFolder } from './project.ts';

let isOpen = false;

/**
 * From now on, imports of `parley` and its entries resolve to the files of the running Parley, wherever the importing
 * file is. A channel then needs no Parley of its own, and both share one copy. Entries are those of `exports` in
 * package.json.
 */
export function openEntries(): void {
  if (isOpen) return;
  isOpen = true;
  const entries = readEntries();
  registerHooks({
    resolve(specifier, context, next) {
      const url = entries.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

function readEntries(): ReadonlyMap<string, string> {
  const folder = projectFolder();
  const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const exports = valueAt(manifest, ['exports']);
  const files = Object.entries(isTree(exports) ? exports : {}).flatMap(([entry, target]) => {
    const file = isTree(target) ? target.default : target;
    return typeof file === 'string' ? [[entry, file] as const] : [];
  });
  return new Map(
    files.map(([entry, file]) => [`parley${entry.slice(1)}`, pathToFileURL(join(folder, runs(file))).href]),
  );
}

/** Returns the file that this process runs in place of a file of the build: in a clone, the source. */
const runs = (file: string): string =>
  import.meta.url.endsWith('.ts') ? file.replace(/^\.\/dist\/(.*)\.js$/, './$1.ts') : file;
