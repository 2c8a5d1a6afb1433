import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';

/**
 * Returns the project's folder: the nearest folder above this file that contains package.json. Works for the sources
 * and for the build.
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

/** True if this is a clone with sources; false if it is the installed package. */
const isClone = (): boolean => existsSync(join(projectFolder(), 'src/main.ts'));

/**
 * Replaces `parley` in hints and usage lines by a command that works here: in a clone, `parley` is an npm script, which
 * a shell does not find.
 */
export function asRun(text: string): string {
  return isClone() ? text.replace(/(?<=^|`|Usage: |Try: |Example: +)parley(?= )/gm, CLONE_COMMAND) : text;
}

const CLONE_COMMAND = 'npm run -s parley --';

/** Output functions for commander. All its help and error texts pass through `asRun`. */
export const outputAsRun = {
  writeOut: (text: string) => void process.stdout.write(asRun(text)),
  writeErr: (text: string) => void process.stderr.write(asRun(text)),
};

/** Makes a command and all commands below it name their own help after a usage error. */
export function nameOwnHelp(command: Command, path = command.name()): Command {
  command.showHelpAfterError(`Try: ${path} --help`);
  for (const each of command.commands) nameOwnHelp(each, `${path} ${each.name()}`);
  return command;
}
