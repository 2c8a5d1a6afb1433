/**
 * Short runs of `npm run test:faults`: the contract holds, and the saved history of a run gets the same verdict as the
 * run.
 */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDataFolder } from '../e2e/house/running-parley.ts';
import { CONTRACT } from '../fakes/history/kept.ts';
import { judge, printed } from './load/judge.ts';
import { readOptions } from './load/options.ts';
import { runLoad } from './load/run-load.ts';
import { loadRun, saveRun } from './load/save.ts';
import { ALL } from './load/table.ts';

const RUN_MS = 240_000;
const EVENTS = 24;
const seed = Number(process.env.PARLEY_SEED ?? 7);
/** Bounds for a busy machine, on which the first sign of a question may be late. */
const PATIENT = { ...CONTRACT, noticeMs: 60_000 };

test.concurrent.each([
  ['sqlite', 1],
  ['postgres', 2],
] as const)(
  `F01 to F32: ${EVENTS} questions with kills, pauses and faults of both channels and of the platform, on %s with %i processes, seed ${seed}`,
  async (engine, replicas) => {
    const args = ['--events', EVENTS, '--seed', seed, '--engine', engine, '--replicas', replicas];
    const options = readOptions(args.map(String));
    if (!('run' in options)) throw new Error('no run');
    const history = { ...(await runLoad(options.run, () => undefined)), bounds: PATIENT };
    const run = { header: { seed, engine, replicas }, history };
    const verdict = judge(run);
    expect(verdict.breaches, printed(run, verdict)).toEqual([]);
    expect(history.questions).toHaveLength(EVENTS);
    expect(history.machineFaults.length).toBeGreaterThan(0);
    const all = verdict.rows.find(({ fault }) => fault === ALL);
    expect(all?.questions).toBeGreaterThan(EVENTS / 2);
    expect(all?.ends).toBe(all?.questions);

    const folder = await makeDataFolder();
    const file = join(folder.path, 'history.jsonl');
    await saveRun(file, run);
    const loaded = await loadRun(file);
    await folder.remove();
    expect(printed(loaded, judge(loaded))).toBe(printed(run, verdict));
  },
  RUN_MS,
);

test.each([
  [['--events', '0']],
  [['--engine', 'mysql']],
  [['--replicas', '2']],
  [['--failover']],
  [['--seed', 'x']],
])('refuses %j', (args) => {
  expect(() => readOptions(args)).toThrow(/^--/);
});
