/**
 * `npm run mutation -- ROOM [...]`: plants small faults (mutants) in a room, one at a time, runs the room's tests
 * against each, and prints the mutants that no test detected. Takes from a minute to an hour per room, so it is not
 * part of `npm test`.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Room, rooms } from './rooms.ts';

const root = new URL('../../', import.meta.url).pathname;
const here = `${root}test/mutation/`;
const reports = `${root}coverage/mutation/`;
/**
 * Minimum share of mutants that the tests must detect, in percent. The command exits with 1 if a room stays below it.
 */
const KILLED = 85;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    mutate: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true },
    workers: { type: 'string', default: '2' },
  },
});
const unknown = positionals.filter((name) => !Object.hasOwn(rooms, name));
const isNarrowed = values.mutate !== undefined || values.tests !== undefined;
if (unknown.length > 0 || (isNarrowed && positionals.length !== 1)) {
  console.error(
    `Usage: npm run mutation -- [ROOM ...] [--workers N]\n       npm run mutation -- ROOM [--mutate GLOB] [--tests GLOB]`,
  );
  console.error(`Rooms: ${Object.keys(rooms).join(', ')}.`);
  process.exit(64);
}

if (!existsSync(`${here}node_modules`)) {
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: here,
    stdio: 'inherit',
  });
  if (npm.status !== 0) process.exit(69);
}
const chosen = positionals.length > 0 ? positionals : Object.keys(rooms);
const failed = chosen.filter((name) => !survives(name));
process.exitCode = failed.length === 0 ? 0 : 1;

/** True if the tests that `rooms` lists under the name detect enough mutants. */
function survives(name: string): boolean {
  const { mutate, tests, isolated = false }: Room = rooms[name] ?? { mutate: [], tests: [] };
  mkdirSync(reports, { recursive: true });
  const settings = `${reports}${name}.config.json`;
  writeFileSync(settings, JSON.stringify(settingsFor(name, values.mutate ?? mutate)));
  const ran = spawnSync(
    process.execPath,
    [`${here}node_modules/@stryker-mutator/core/bin/stryker.js`, 'run', settings],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        MUTATION_TESTS: JSON.stringify(values.tests ?? tests),
        MUTATION_ISOLATED: String(isolated),
      },
    },
  );
  return ran.status === 0;
}

function settingsFor(name: string, mutate: readonly string[]): object {
  return {
    mutate,
    // Stryker would read a tsconfig file with the compiler's API, which TypeScript 7 does not provide.
    tsconfigFile: 'none',
    testRunner: 'vitest',
    vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    // Leaves out code that runs at import, because all tests would have to run again for each mutant of such code.
    ignoreStatic: true,
    concurrency: Number(values.workers),
    // The limit is so long that a slow machine is not mistaken for an endless loop.
    timeoutMS: 15_000,
    timeoutFactor: 5,
    reporters: ['progress-append-only', 'clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: `coverage/mutation/${name}.json` },
    thresholds: { high: 95, low: KILLED, break: KILLED },
    tempDirName: '.parley/mutation',
    ignorePatterns: ['.parley', 'coverage', 'docs', 'manifests', 'test/mutation/node_modules'],
    incremental: true,
    incrementalFile: `coverage/mutation/${name}.incremental.json`,
    allowEmpty: false,
  };
}
