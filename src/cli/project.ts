import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The nearest folder upwards that holds a package.json: the project, from its sources and from its build alike. */
export function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

/** As `package.json` has it. */
export function projectVersion(): string {
  const content: unknown = JSON.parse(readFileSync(join(projectFolder(), 'package.json'), 'utf8'));
  const named = typeof content === 'object' && content !== null && 'version' in content;
  return named ? String(content.version) : '';
}
