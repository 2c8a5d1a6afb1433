import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the nearest parent folder with a package.json: the project's folder, both when running the sources
 * and when running the build.
 */
export function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** Returns the version in package.json. */
export function projectVersion(): string {
  const content: unknown = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8'));
  const named = typeof content === 'object' && content !== null && 'version' in content;
  return named ? String(content.version) : '';
}

/** True in a clone with its sources, false in the installed package. */
const isClone = (): boolean => existsSync(join(projectFolder(), 'src/main.ts'));

/**
 * Replaces `parley` in hints and usage lines by the command that works here: in a clone, `parley` is an npm
 * script and not a shell command.
 */
export function asRun(text: string): string {
  return isClone() ? text.replace(/(?<=^|`|Usage: |Try: |Example: +)parley(?= )/gm, CLONE_COMMAND) : text;
}

const CLONE_COMMAND = 'npm run -s parley --';

/** Output for commander: all its help and error texts pass through `asRun`. */
export const outputAsRun = {
  writeOut: (text: string) => void process.stdout.write(asRun(text)),
  writeErr: (text: string) => void process.stderr.write(asRun(text)),
};
