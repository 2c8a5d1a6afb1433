/** Finds the file to import for the module of a channel. */

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isTree, type Tree } from '../settings/tree.ts';

/** Conditions of `exports` that an import in Node fulfils. */
const CONDITIONS = ['node', 'import', 'module-sync', 'default'];
/** Entries of a folder whose package.json names none. */
const USUAL = ['index.js', 'index.mjs'];

/**
 * Returns the path itself, or for a folder the entry that its package.json names in `exports` or `main`, else its
 * index.js. Throws an error that names the cure if the folder has no entry.
 */
export async function entryOf(path: string): Promise<string> {
  if (!(await stat(path).catch(() => undefined))?.isDirectory()) return path;
  const { exports, main } = await manifestOf(path);
  const named = exports === undefined ? main : targetOf(exports);
  const candidates = typeof named === 'string' ? [named] : exports === undefined ? USUAL : [];
  for (const candidate of candidates) {
    const entry = join(path, candidate);
    if (await isFile(entry)) return entry;
  }
  const member = exports === undefined ? 'main' : 'exports';
  if (typeof named === 'string')
    throw new Error(
      `Its package.json names the file "${named}", which does not exist. Build the package, or correct "${member}".`,
    );
  throw new Error(
    `The folder ${path} has no entry. Add index.js, or name the file in "exports" of its package.json.`,
  );
}

async function manifestOf(folder: string): Promise<Tree> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  try {
    const manifest: unknown = JSON.parse(text);
    return isTree(manifest) ? manifest : {};
  } catch (cause) {
    throw new Error(`${join(folder, 'package.json')} is not valid JSON`, { cause });
  }
}

/** The file that `exports` names for the package itself. The first matching condition wins, as in Node. */
function targetOf(exports: unknown): unknown {
  if (!isTree(exports)) return exports;
  const isByPath = Object.keys(exports).some((key) => key.startsWith('.'));
  if (isByPath) return targetOf(exports['.']);
  const condition = Object.keys(exports).find((key) => CONDITIONS.includes(key));
  return condition === undefined ? undefined : targetOf(exports[condition]);
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() ?? false;
