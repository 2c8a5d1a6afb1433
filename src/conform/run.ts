/** Runs the checks of a channel, and makes the report. */

import { systemClock } from '../clock.ts';
import { catchStrays, ownedBy } from '../kit/stray.ts';
import { actions } from './actions.ts';
import { type Check, pageOf } from './check.ts';
import { content } from './content.ts';
import { faults } from './faults.ts';
import { forged } from './forged.ts';
import { hostile } from './hostile.ts';
import { intake } from './intake.ts';
import { keep, type Law, laws } from './laws.ts';
import { CHECK_MS, inTime } from './limits.ts';
import { pacing } from './pacing.ts';
import { begin } from './play.ts';
import { seeded } from './random.ts';
import type { CheckResult, Report, RunOptions } from './report.ts';
import { type Candidate, openStage, type Stage } from './stage.ts';
import { numberedWords, randomStory, type Story } from './story.ts';
import { NotChecked, Violation } from './violation.ts';

const checkOf = (law: Law): Check => ({
  id: law.id,
  proves: law.proves,
  ...(law.random && { random: true }),
  ...(law.changesMessages && {
    missing: ({ keepsWhatItShowed }) =>
      keepsWhatItShowed ? 'the rig says that the chat cannot change messages' : undefined,
  }),
  run: (stage, random) => runLaw(law, stage, randomStory(random)),
});

const takeover: readonly Check[] = [
  {
    id: 'takeover.new-process',
    proves: 'After a restart, the adapter finishes a reply that it began earlier, and takes questions',
    async run(stage) {
      const play = await begin(stage);
      play.change({ kind: 'append', text: numberedWords(1, 6) });
      await play.converge();
      await stage.restart();
      play.takeOver();
      play.change({ kind: 'append', text: numberedWords(7, 6) });
      await play.conclude('done');
      await stage.asks();
    },
  },
];

/** All checks, in the order in which they run. */
export const checks = [
  ...intake,
  ...laws.map(checkOf),
  ...takeover,
  ...content,
  ...faults,
  ...actions,
  ...forged,
  ...hostile,
  ...pacing,
].map((check) => ({ ...check, page: pageOf(check.id) }));

type Paged = (typeof checks)[number];

/** Returns the checks with these ids or of these suites. */
export function chosen(only: readonly string[] | undefined): readonly Paged[] {
  if (only === undefined) return checks;
  return checks.filter(({ id }) => only.some((name) => id === name || id.startsWith(`${name}.`)));
}

/**
 * Checks the channel. Rejects if its rig or its adapter cannot be started; later failures are in the report. So are
 * stray errors of the channel or its rig, which would otherwise end the process.
 */
export async function conform(candidate: Candidate, options: RunOptions): Promise<Report> {
  const strays: unknown[] = [];
  const stop = catchStrays();
  const run = () => runChecks(candidate, { ...options, strays });
  return ownedBy((thrown) => void strays.push(thrown), run).finally(stop);
}

interface Running extends RunOptions {
  /** Stray errors since the beginning of the running check. */
  readonly strays: unknown[];
}

async function runChecks(candidate: Candidate, options: Running): Promise<Report> {
  const { seed, runs, only, onResult } = options;
  const results: CheckResult[] = [];
  let stage: Stage | undefined = await openStage(candidate);
  for (const check of chosen(only)) {
    const result = await runCheck(check, options, async () => {
      stage ??= await openStage(candidate);
      return stage;
    });
    results.push(result);
    onResult?.(result);
    if (result.status !== 'fail') continue;
    // A failed check may leave the channel in any state, so the next check starts anew.
    await stage?.close().catch(() => undefined);
    stage = undefined;
  }
  await stage?.close().catch(() => undefined);
  const { name: channel, title } = candidate.channel;
  return {
    channel,
    title,
    seed,
    runs,
    ok: results.every(({ status }) => status !== 'fail'),
    checks: results,
  };
}

async function runCheck(check: Paged, options: Running, open: () => Promise<Stage>): Promise<CheckResult> {
  const { id, proves, page } = check;
  let stage: Stage | undefined;
  let seed = options.seed;
  try {
    stage = await open();
    const missing = check.missing?.(stage.rig);
    if (missing !== undefined) return { id, proves, status: 'not-checked', page, why: missing };
    const end = seed + (check.random ? options.runs : 1);
    for (; seed < end; seed++) await runOnce(check, stage, seed);
    await systemClock.wait(STRAY_MS);
    expectNone(options.strays.splice(0));
    return { id, proves, status: 'pass', page };
  } catch (thrown) {
    options.strays.length = 0;
    if (thrown instanceof NotChecked) return { id, proves, status: 'not-checked', page, why: thrown.message };
    const logged = stage?.host.logged.slice(-3) ?? [];
    return {
      id,
      proves,
      status: 'fail',
      page,
      ...wordsOf(thrown),
      seed,
      ...(logged.length > 0 && { logged }),
    };
  }
}

/** Time, in milliseconds, in which a stray error of a check may still come. */
const STRAY_MS = 10;

function expectNone([thrown]: readonly unknown[]): void {
  if (thrown === undefined) return;
  const { why, found } = wordsOf(thrown);
  throw new Violation(
    'The channel or the rig has a stray error: a rejected promise that nothing awaits, or a throw in a timer or handler.',
    'errors that are handled where they arise',
    `${why} ${found ?? ''}`,
  );
}

async function runOnce(check: Check, stage: Stage, seed: number): Promise<void> {
  await inTime('The check', () => check.run(stage, seeded(seed)), CHECK_MS);
  stage.host.behavior = 'keeps';
  stage.host.barred = undefined;
  stage.host.barredFromAgent = undefined;
  stage.host.waiting = false;
}

/** Returns why a check failed. An error that is no violation comes from the channel or the rig. */
function wordsOf(thrown: unknown): Pick<CheckResult, 'why' | 'expected' | 'found'> {
  if (thrown instanceof Violation)
    return { why: thrown.what, expected: thrown.expected, found: thrown.found };
  if (!(thrown instanceof Error)) return { why: `An error was thrown: ${String(thrown)}` };
  const [at = ''] = thrown.stack?.split('\n').filter((line) => line.trim().startsWith('at ')) ?? [];
  return { why: `An error was thrown: ${thrown.message}`, found: `${thrown.name} ${at.trim()}`.trim() };
}

/** Maximum number of shorter stories to try after a failure. */
const SHORTER_STORIES = 40;
/** Maximum time for trying shorter stories, in milliseconds. */
const SHORTEN_MS = 10_000;

/**
 * Runs a law. If it fails, looks for the shortest story with which it still fails, and adds that story to the error.
 */
async function runLaw(law: Law, stage: Stage, story: Story): Promise<void> {
  const failure = await failureOf(law, stage, story);
  if (failure === undefined) return;
  if (!law.random || !(failure instanceof Violation)) throw failure;
  let [shortest, last] = [story, failure];
  const end = systemClock.now() + SHORTEN_MS;
  let tries = 0;
  for (
    let at = 0;
    at < shortest.steps.length && tries < SHORTER_STORIES && systemClock.now() < end;
    tries++
  ) {
    const shorter = { ...shortest, steps: shortest.steps.toSpliced(at, 1) };
    const again = await failureOf(law, stage, shorter);
    if (again instanceof Violation) [shortest, last] = [shorter, again];
    else at += 1;
  }
  throw new Violation(`${last.what} ${wordsFor(shortest)}`, last.expected, last.found);
}

const failureOf = (law: Law, stage: Stage, story: Story): Promise<unknown> =>
  keep(law, stage, story).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

function wordsFor({ steps, ending }: Story): string {
  const lines = steps.map(({ change, outcome }) => {
    const text = 'text' in change ? ` ${change.text.trim().split(' ').length} words` : '';
    return `${change.kind}${text} (${outcome})`;
  });
  return `This happened: ${[...lines, `end as ${ending}`].join(', ')}.`;
}
