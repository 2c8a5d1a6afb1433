/**
 * Provides what a watched file contains: the rules in force, or the accounts of people. A changed file replaces
 * everything; a file with a fault replaces nothing.
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
/** Name under which the log counts what a file contains. */
const COUNTED = { rules: 'rules', accounts: 'entries' } as const;

interface FileSourceDeps<Value> {
  readonly file: string;
  readonly noun: keyof typeof COUNTED;
  /** What was read at the start. */
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
  let recorded = Promise.resolve();
  const listeners: ((file: string) => void)[] = [];
  const tell = () => {
    if (record === undefined) return;
    const text = JSON.stringify({ file, digest, process: process.pid, at: clock.now() });
    recorded = recorded
      .then(() => replace(record, text))
      .catch((err: unknown) => {
        log.warn({ err }, 'the record of which rules are in force could not be written to the data folder');
      });
  };
  /** Reads the file again. Keeps what is in force if the file has a fault. */
  const reload = () => {
    const checked = read();
    if (checked.value === undefined) {
      const faults = checked.faults.map(faultLine);
      log.error({ file, faults }, `the ${noun} file has faults, so the earlier ${noun} stay in force`);
      return;
    }
    ({ value, digest } = { value: checked.value, digest: checked.digest });
    log.info({ file, [COUNTED[noun]]: checked.count }, `the ${noun} file was read again`);
    tell();
    for (const listener of listeners) listener(file);
  };
  tell();
  const changed = async () => {
    if (digestOf(file) !== digest) reload();
  };
  const watching = watchFile(file, { clock, signal: ended.signal, changed });
  return {
    current: () => value,
    reload,
    /** Calls the listener with the file's path whenever its content has replaced what was in force. */
    onReload: (listener: (file: string) => void) => void listeners.push(listener),
    async stop() {
      ended.abort();
      await watching;
      await recorded;
    },
  };
}

async function replace(file: string, text: string): Promise<void> {
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
