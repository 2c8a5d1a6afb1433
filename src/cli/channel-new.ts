/** Implements `parley channel new`, which writes a channel from the template in templates/channel. */

import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { settingNames } from '../config/schema.ts';
import { codeOf, usage } from '../errors.ts';
import type { CommandDeps } from './channels.ts';
import { CHANNEL_NAME, RESERVED } from './outside.ts';
import { plain } from './print.ts';
import { asRun, projectFolder } from './project.ts';

/**
 * Writes the files of a new channel into a new folder, and prints the next commands. Throws `usage` if the name cannot
 * be used, or if the folder exists or cannot be written.
 */
export async function newChannel(
  _options: object,
  deps: CommandDeps,
  [name]: readonly [string],
): Promise<number> {
  const reserved = [...(await deps.channels()).map((each) => each.name), ...settingNames, ...RESERVED];
  refuseBadName(name, reserved);
  if (existsSync(name)) {
    throw usage(`The folder "${name}" exists already. Choose another name, or delete the folder.`);
  }
  const names = placeholders(name);
  try {
    for (const { path, text } of await templateFiles()) {
      await mkdir(join(name, dirname(path)), { recursive: true });
      await writeFile(join(name, path), filled(text, names));
    }
  } catch (thrown) {
    const message = `The folder "${name}" cannot be written: ${codeOf(thrown)}. Run the command in a folder that you may write to.`;
    throw usage(message, thrown);
  }
  console.log(plain(nextSteps(name)));
  return 0;
}

function refuseBadName(name: string, reserved: readonly string[]): void {
  if (!CHANNEL_NAME.test(name)) {
    const rule = 'Use 1 to 40 lower-case letters, digits and hyphens, beginning with a letter.';
    throw usage(`"${name}" is not a name for a channel. ${rule}`);
  }
  if (reserved.includes(name)) {
    throw usage(`Parley itself uses the name "${name}". Choose another name.`);
  }
}

interface TemplateFile {
  /** Path in the folder of the template. */
  readonly path: string;
  readonly text: string;
}

async function templateFiles(): Promise<readonly TemplateFile[]> {
  const folder = join(projectFolder(), 'templates/channel');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return Promise.all(
    paths.toSorted().map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })),
  );
}

/** Returns the words that replace the placeholders: `my-chat`, `My Chat` and `MY_CHAT`. */
function placeholders(name: string): Readonly<Record<string, string>> {
  const words = name.split('-').filter((word) => word !== '');
  const title = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
  return { __name__: name, __Title__: title, __NAME__: name.toUpperCase().replaceAll('-', '_') };
}

const filled = (text: string, names: Readonly<Record<string, string>>): string =>
  text.replace(/__(?:name|Title|NAME)__/g, (found) => names[found] ?? found);

const nextSteps = (name: string): string =>
  [
    `The channel is in the folder ${name}. Its README.md says how to run it.`,
    'Check it now, and after each change:',
    `  ${asRun(`parley conform ${name} --rig ${name}/rig.js`)}`,
    `  node --test ${name}/test/*.test.js`,
  ].join('\n');
