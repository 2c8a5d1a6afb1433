/**
 * Watches a file and provides its content: the rules in force, or the accounts of people. A changed file replaces the
 * whole content. If the changed file has a fault, the earlier content stays in force.
 */

import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CheckedFile, faultLine } from '../config/faults.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { readCapped } from '../settings/capped-file.ts';
import { watchFile } from './file-watch.ts';

/** Name of a file in the data folder. It records which rules are in force. */
export const RULES_RECORD = 'rules-in-force.json';
/** Maximum size of a watched file, in bytes. The accounts file may be the largest. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Name of the log field with the number of rules or accounts in a file. */
const COUNTED = { rules: 'rules', accounts: 'entries' } as const;

interface FileSourceDeps<Value> {
  readonly file: string;
  readonly noun: keyof typeof COUNTED;
  /** The content that was read at the start. */
  readonly first: Pick<CheckedFile<Value>, 'digest'> & { readonly value: Value };
  read(): CheckedFile<Value>;
  readonly clock: Clock;
  readonly log: Log;
  /** File that tells `parley rules reload` which rules are in force; absent if the data folder is not used. */
  readonly record?: string;
}

export type FileSource<Value> = ReturnType<typeof createFileSource<Value>>;

export function createFileSource<Value>(deps: FileSourceDeps<Value>) {
  const { file, noun, first, read, clock, log, record } = deps;
  let { value, digest } = first;
  const ended = new AbortController();
  let writing = Promise.resolve();
  const listeners: ((file: string) => void)[] = [];
  const writeRecord = () => {
    if (record === undefined) return;
    const text = JSON.stringify({ file, digest, process: process.pid, at: clock.now() });
    writing = writing
      .then(() => replaceFile(record, text))
      .catch((err: unknown) => {
        log.warn({ err }, 'the record of which rules are in force could not be written to the data folder');
      });
  };
  /** Reads the file again. If it has a fault, the earlier content stays in force. */
  const reload = () => {
    const checked = read();
    if (checked.value === undefined) {
      const faults = checked.faults.map(faultLine);
      log.error({ file, faults }, `the ${noun} file has faults, so the earlier ${noun} stay in force`);
      return;
    }
    ({ value, digest } = { value: checked.value, digest: checked.digest });
    log.info({ file, [COUNTED[noun]]: checked.count }, `the ${noun} file was read again`);
    writeRecord();
    for (const listener of listeners) listener(file);
  };
  writeRecord();
  const changed = async () => {
    if (digestOf(file) !== digest) reload();
  };
  const watching = watchFile(file, clock, ended.signal, changed);
  return {
    current: () => value,
    reload,
    /** Calls the listener with the file's path each time that new content comes into force. */
    onReload: (listener: (file: string) => void) => void listeners.push(listener),
    async stop() {
      ended.abort();
      await watching;
      await writing;
    },
  };
}

async function replaceFile(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}

/** Returns the SHA-256 of the file's bytes; undefined if the file cannot be read. */
function digestOf(file: string): string | undefined {
  try {
    return createHash('sha256').update(readCapped(file, MAX_BYTES)).digest('hex');
  } catch {
    return undefined;
  }
}
