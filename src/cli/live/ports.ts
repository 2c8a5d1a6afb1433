/** The terminal, the interrupts and the report of a live check. */

import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { systemClock } from '../../clock.ts';
import type { Clock } from '../../core/clock.ts';
import { listenForInterrupts } from '../own-process.ts';
import { jsonText, plain } from '../print.ts';
import { projectVersion } from '../project.ts';
import { evidenceOf, type Head } from './evidence.ts';
import type { ActResult } from './run.ts';
import { type LiveLimits, type LiveTerminal, usualLimits } from './stage.ts';

export interface LiveOptions {
  /** Name of a channel, or `platform`. */
  readonly live: string;
  readonly config?: string;
  readonly only?: readonly string[];
  readonly list?: true;
  readonly allowWrites?: true;
  readonly out?: string;
  readonly json?: true;
}

/** Parts that tests replace. */
export interface LivePorts {
  readonly clock: Clock;
  readonly limits: LiveLimits;
  readonly terminal: LiveTerminal;
  /** Aborts when the person presses Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Exit code after Ctrl-C, as of a process that SIGINT ended. */
const INTERRUPTED = 130;

/** Runs `work` with the terminal. The first Ctrl-C aborts the signal, the second one ends the process. */
export async function withPorts<Value>(
  { json }: Pick<LiveOptions, 'json'>,
  work: (ports: LivePorts) => Promise<Value>,
): Promise<Value> {
  const interrupts = listenForInterrupts(systemClock);
  const ended = new AbortController();
  interrupts.onPress(() => (ended.signal.aborted ? process.exit(INTERRUPTED) : ended.abort()));
  const typed: string[] = [];
  const isAttended = process.stdin.isTTY === true;
  const lines = isAttended ? createInterface({ input: process.stdin }) : undefined;
  lines?.on('line', (line) => typed.push(line));
  // With --json, standard output contains only the evidence.
  const say = (line: string): void => (json ? console.error(plain(line)) : console.log(plain(line)));
  const terminal: LiveTerminal = {
    isAttended,
    say,
    instruct: (_act, text) =>
      say(`   > ${text}\n     If nothing happens after that, press Enter. To skip, type s and press Enter.`),
    typed: () => typed.shift(),
  };
  try {
    return await work({ clock: systemClock, limits: usualLimits, terminal, signal: ended.signal });
  } finally {
    lines?.close();
    interrupts.dispose();
  }
}

/** Writes the evidence, and resolves with the exit code: 1 if an act failed, 130 after Ctrl-C, else 0. */
export async function report(
  { live, out, json }: LiveOptions,
  { acts, ...own }: Pick<Head, 'way' | 'calls'> & { readonly acts: readonly ActResult[] },
  { clock, terminal, signal }: LivePorts,
): Promise<number> {
  const date = new Date(clock.now()).toISOString().slice(0, 10);
  const head = { parley: projectVersion(), node: process.versions.node, date, checked: live, ...own };
  const evidence = evidenceOf(head, acts);
  const file = out ?? `parley-live-${live}-${date}.json`;
  await writeFile(file, `${jsonText(evidence)}\n`);
  if (json) console.log(jsonText(evidence));
  const { passed, failed, skipped } = evidence;
  terminal.say(`\n${passed} passed, ${failed} failed, ${skipped} skipped. The evidence is in ${file}.`);
  if (signal.aborted) return INTERRUPTED;
  return failed > 0 ? 1 : 0;
}

export const listActs = (
  acts: readonly Pick<ActResult, 'name' | 'by' | 'proves'>[],
  { terminal }: LivePorts,
): number => {
  for (const { name, by, proves } of acts) terminal.say(`${name.padEnd(16)} ${by.padEnd(6)}  ${proves}`);
  return 0;
};
