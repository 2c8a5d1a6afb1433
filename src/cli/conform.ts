/** Implements `parley conform`, which checks a channel from outside Parley. */

import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { reasonOf, within } from '../bridge/guarded.ts';
import { systemClock } from '../clock.ts';
import type { CheckResult, Report } from '../conform/report.ts';
import { checks, chosen, conform } from '../conform/run.ts';
import type { Candidate } from '../conform/stage.ts';
import { linesOf, summary } from '../conform/words.ts';
import { usage } from '../errors.ts';
import type { OpenRig } from '../kit/package.ts';
import { timeLimit } from '../kit/time-limit.ts';
import type { CommandDeps } from './channels.ts';
import { importChannel, importModule, LOAD_MS, whyOf } from './outside.ts';
import { printLines, printResult } from './print.ts';
import { asRun, projectFolder, projectVersion } from './project.ts';

interface ConformOptions {
  readonly rig?: string;
  readonly only?: readonly string[];
  readonly seed?: string;
  readonly runs?: string;
  readonly json?: true;
}

/** Default number of times that each random check runs. */
const RUNS = 20;
/** Maximum for `--runs`. */
const MOST_RUNS = 10_000;
/** Largest seed, plus one. */
const SEEDS = 2 ** 31;
/** Maximum time, after the report, until the process must have ended by itself, in milliseconds. */
const END_MS = 2_000;

/** Checks the channel and prints the report. Resolves with 0 if every check that ran has passed, else with 1. */
export async function conformChannel(
  options: ConformOptions,
  _deps: CommandDeps,
  [path]: readonly [string],
): Promise<number> {
  const { json, only, rig } = options;
  const seed = numberOf('--seed', options.seed, { from: 0, below: SEEDS }) ?? randomInt(SEEDS);
  const runs = numberOf('--runs', options.runs, { from: 1, below: MOST_RUNS + 1 }) ?? RUNS;
  refuseUnknown(only);
  const command = asRun(`parley conform ${path}${rig === undefined ? '' : ` --rig ${rig}`}`);
  const onResult = (result: CheckResult): void => {
    if (!json) printLines(linesOf(result, command));
  };
  try {
    const candidate = await candidateIn(path, rig);
    const report = await started(path, conform(candidate, { seed, runs, ...(only && { only }), onResult }));
    printResult(json, report, [summary(report)]);
    return report.ok ? 0 : 1;
  } finally {
    // The timer does not keep the process running. It matters only if the channel has left a connection or a timer open.
    timeLimit(END_MS).addEventListener('abort', () => process.exit());
  }
}

/** Adds the cure to the error of a rig or a channel that cannot be started. */
async function started(path: string, report: Promise<Report>): Promise<Report> {
  try {
    return await report;
  } catch (thrown) {
    const cure = 'Correct the rig or the channel, then run the command again.';
    throw usage(`${path} cannot be checked: ${sentence(reasonOf(thrown))} ${cure}`, thrown);
  }
}

async function candidateIn(path: string, rig: string | undefined): Promise<Candidate> {
  const kit = await import('../kit/argument.ts');
  const load = <Loaded>(file: string, work: () => Promise<Loaded>): Promise<Loaded> =>
    within(LOAD_MS, work, { clock: systemClock }).catch((thrown: unknown) => {
      const cure = 'Name the module of a channel, or the folder of its package.';
      throw usage(`${file} cannot be loaded: ${sentence(whyOf(thrown))} ${cure}`, thrown);
    });
  const { channel, exports } = await load(path, () => importChannel(resolve(path)));
  const rigged = rig === undefined ? exports : await load(rig, () => importModule(resolve(rig)));
  const openRig = rigged.conform;
  if (!isRigOpener(openRig)) {
    const cure =
      'Export one, as docs/channels.md describes under "Check your channel", or name its module with --rig.';
    throw usage(`${rig ?? path} exports no function "conform", which starts the chat. ${cure}`);
  }
  return { channel, openRig, kit, project: { folder: projectFolder(), version: projectVersion() } };
}

/** Accepts any function. The rig that the function opens is checked in `src/conform/stage.ts`. */
const isRigOpener = (value: unknown): value is OpenRig => typeof value === 'function';

const sentence = (text: string): string => `${text.replace(/\.$/, '')}.`;

function refuseUnknown(only: readonly string[] | undefined): void {
  const unknown = only?.find((name) => chosen([name]).length === 0);
  if (unknown === undefined) return;
  const suites = [...new Set(checks.map(({ id }) => id.split('.')[0]))].join(', ');
  throw usage(`There is no check or suite "${unknown}". The suites are ${suites}.`);
}

function numberOf(
  option: string,
  text: string | undefined,
  { from, below }: { readonly from: number; readonly below: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= from && number < below) return number;
  throw usage(`${option} must be a whole number from ${from} to ${below - 1}, not "${text}".`);
}
