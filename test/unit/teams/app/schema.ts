/**
 * Checks manifests against Microsoft's schema, which their `$schema` names. The schema is read as a file, because the
 * code of its package cannot be loaded: one of its dependencies is missing.
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

/** Returns the schema's error messages, such as `/name/short must NOT have more than 30 characters`. */
export function refusals(manifest: object): readonly string[] {
  const named = '$schema' in manifest ? String(manifest.$schema) : '';
  if (!named.startsWith(PUBLISHED)) return [`$schema is ${named}`];
  const path = join(folder, 'build', named.slice(PUBLISHED.length));
  // The schema claims draft 4, but uses keywords of draft 7 (const, if), so it is read as draft 7.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8'));
  const check = ajv.compile(schema);
  check(manifest);
  return (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
