import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { text as textOf } from 'node:stream/consumers';
import { type Document, parseDocument } from 'yaml';
import { usage } from '../../errors.ts';
import { fileFromDisk } from '../../platform/api.ts';
import type { Readers } from './request.ts';

/** Maximum aliases (references to anchors) in one YAML document. */
const MAX_ALIASES = 100;

/** Reads files, standard input and YAML for the commands. */
export const outside: Readers = {
  file: fileFromDisk,
  text: (path) =>
    path === '-'
      ? textOf(process.stdin)
      : readFile(path, 'utf8').catch(() => {
          throw usage(`The file ${path} cannot be read. Check its path and permissions.`);
        }),
  yaml(text, place) {
    const document = parseDocument(text, { intAsBigInt: true });
    const [fault] = document.errors;
    if (fault !== undefined) throw usage(`${place}: ${fault.message.split('\n')[0]}`);
    return withoutBigInts(plainValue(document, place));
  },
};

/**
 * Converts a YAML document to plain values. Limits its aliases, because a few lines with nested aliases can expand to
 * gigabytes.
 */
function plainValue(document: Document, place: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (thrown) {
    throw usage(`${place}: ${thrown instanceof Error ? thrown.message : 'it cannot be read'}`);
  }
}

/**
 * Converts integers outside the safe range to strings of their digits, as the platform client does everywhere (platform
 * contract GEN-9: 64-bit integers).
 */
function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutBigInts(each)]));
}

/**
 * Asks a yes-or-no question on the terminal. Returns undefined if there is no terminal. Ctrl-C also returns undefined, and
 * interrupts the process as it does without a question.
 */
export async function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const interrupted = new Promise<undefined>((resolve) => {
    lines.once('SIGINT', () => {
      process.kill(process.pid, 'SIGINT');
      resolve(undefined);
    });
  });
  const answer = await Promise.race([lines.question(`${question} [y/N] `), interrupted]);
  lines.close();
  return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
}
