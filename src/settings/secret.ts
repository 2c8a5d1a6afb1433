import { statSync } from 'node:fs';
import { z } from 'zod';
import { Secret } from '../secret.ts';
import { readCapped } from './capped-file.ts';

/** The environment variables with which a configuration is read. Variables that are `undefined` count as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum size of a file that contains a secret, in bytes. */
const SECRET_BYTES = 64 * 1024;

/**
 * Returns a secret that is read from a file. Each use checks whether the file has changed, so that a rotated secret
 * applies immediately. While the file is missing, blank or incomplete, the last valid value is used.
 */
function secretFromFile(path: string): Secret {
  let seen = stampOf(path);
  let text = readSecretFile(path);
  return new Secret(() => {
    const stamp = stampOf(path);
    if (stamp === undefined || stamp === seen) return text;
    const newer = readOrNothing(path);
    if (newer === '') return text;
    seen = stamp;
    text = newer;
    return text;
  });
}

function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? undefined : `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}

function readOrNothing(path: string): string {
  try {
    return readSecretFile(path);
  } catch {
    return '';
  }
}

const readSecretFile = (path: string): string => readCapped(path, SECRET_BYTES).toString('utf8').trim();

type Written = string | { env: string } | { file: string };

/** Returns what the operator must do about a blank or missing secret. */
function cureOf(written: Written): string {
  if (typeof written === 'string')
    return 'Write either the secret itself, or { env: NAME }, or { file: path }.';
  return 'env' in written ? 'Set the variable.' : 'Put the secret into that file, or name another file.';
}

/**
 * Returns the setting for a secret: the text itself, `{ env: NAME }` or `{ file: path }`. Blank secrets are refused. The
 * setting's value is a secret whose text only `reveal()` returns; a secret in a file is read again when the file changes.
 * @see {@link defineChannel}
 */
export function secretSetting(environment: Environment, description: string) {
  const places = z.union([
    z.string(),
    z.strictObject({
      env: z.string().min(1).describe('Name of the environment variable that contains the secret'),
    }),
    z.strictObject({
      file: z
        .string()
        .min(1)
        .describe('Path of the file that contains the secret; the file is read again when it changes'),
    }),
  ]);
  return places
    .transform((written, context) => unblank(written, reveal(environment, written), context))
    .describe(description);
}

/** Returns the setting for a secret that must be in a file; its value is the file's path. */
export function secretFileSetting(description: string) {
  return z
    .string()
    .min(1)
    .transform((file, context) => unblank({ file }, revealFile(file), context))
    .describe(description);
}

function unblank(written: Written, found: Secret | string, context: z.RefinementCtx): Secret {
  if (found instanceof Secret && found.reveal().trim() !== '') return found;
  const message = found instanceof Secret ? `is blank${whence(written)}` : found;
  context.addIssue({ code: 'custom', message, params: { cure: cureOf(written) } });
  return z.NEVER;
}

function whence(written: Written): string {
  if (typeof written === 'string') return '';
  return 'env' in written ? ` in the variable ${written.env}` : ` in the file ${written.file}`;
}

/** Returns the secret, or a sentence that says why it cannot be read. */
function reveal(environment: Environment, written: Written): Secret | string {
  if (typeof written === 'string') return new Secret(written);
  if ('file' in written) return revealFile(written.file);
  const text = environment[written.env];
  return text === undefined ? `names the variable ${written.env}, which is not set` : new Secret(text);
}

function revealFile(path: string): Secret | string {
  try {
    return secretFromFile(path);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message.replace(/,.*$/s, '') : 'unknown reason';
    return `names the file ${path}, which cannot be read (${reason})`;
  }
}
