/**
 * Microsoft's own schema of app manifests, out of the package that ships it. The package's code cannot be loaded (it
 * lacks a package that it needs), so that the schema is read as a file: the one that a manifest's `$schema` names.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';

const folder = dirname(createRequire(import.meta.url).resolve('@microsoft/app-manifest/package.json'));
const PUBLISHED = 'https://developer.microsoft.com/';

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { uri: (written: string) => URL.canParse(written) },
});

/** What the schema refuses of a manifest, each as `/name/short must NOT have more than 30 characters`. */
export function refusals(manifest: object): readonly string[] {
  const named = '$schema' in manifest ? String(manifest.$schema) : '';
  if (!named.startsWith(PUBLISHED)) return [`$schema is ${named}`];
  const path = join(folder, 'build', named.slice(PUBLISHED.length));
  // It says draft 4 of itself and uses words of draft 7 (const, if): read as the latter, nothing is left unread.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  const check = ajv.compile(schema);
  check(manifest);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
