/**
 * Provides the rules in force, and watches the rules file. A changed file replaces all rules; a file with a fault
 * replaces none.
 */

import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CheckedRules } from '../config/rules-file.ts';
import type { CompiledRules } from '../core/access/compile.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { digestOf, watchFile } from './file-watch.ts';

/** Name of a file in the data folder. It records which rules are in force. */
export const RULES_RECORD = 'rules-in-force.json';

export interface RulesSource {
  /** Returns the rules in force. */
  readonly current: () => CompiledRules;
  /** Calls the listener with the file's path whenever its rules have replaced those in force. */
  onReload(listener: (file: string) => void): void;
  /** Reads the file again. Keeps the rules in force if the file has a fault. */
  reload(): void;
  stop(): Promise<void>;
}

interface RulesSourceDeps {
  readonly file: string;
  /** The rules that were read at the start. */
  readonly first: CheckedRules & { readonly rules: CompiledRules };
  read(): CheckedRules;
  readonly clock: Clock;
  readonly log: Log;
  /** File that tells `parley rules reload` which rules are in force; absent if the data folder is not used. */
  readonly record?: string;
}

export function createRulesSource({ file, first, read, clock, log, record }: RulesSourceDeps): RulesSource {
  let { rules, digest } = first;
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
  const reload = () => {
    const checked = read();
    if (checked.rules === undefined) {
      const faults = checked.faults.map(
        ({ place, path, subject, what, cure }) => `${place}: ${subject ?? path.join('.')} ${what}. ${cure}`,
      );
      log.error({ file, faults }, 'the rules file has faults, so the earlier rules stay in force');
      return;
    }
    ({ rules, digest } = { rules: checked.rules, digest: checked.digest });
    log.info({ file, rules: rules.set.rules.length }, 'the rules file was read again');
    tell();
    for (const listener of listeners) listener(file);
  };
  tell();
  const changed = async () => {
    if (digestOf(file) !== digest) reload();
  };
  const watching = watchFile(file, { clock, signal: ended.signal, changed });
  return {
    current: () => rules,
    reload,
    onReload: (listener) => void listeners.push(listener),
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
