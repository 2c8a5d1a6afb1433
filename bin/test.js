/** Implements `npm test`: prepares Parley, runs all tests, and prints one plain line with the counts. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  buildPage,
  dieWithLauncher,
  inRoot,
  installMissing,
  isNodeNewEnough,
  pathWithProject,
  runUnderProjectNode,
} from './first-step.js';

/** Flag: if at most three files fail, runs the failed files a second time. `.ci/run` sets this flag. */
const SECOND_TRY = '--second-try';

/** Returns the counts in vitest's JSON report. A file that fails outside its tests counts as one failure. */
export function countsOf(report, code) {
  const files = report?.testResults ?? [];
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(hasFailed));
  const failed = (report?.numFailedTests ?? 0) + broken.length;
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}

const hasFailed = (assertion) => assertion.status === 'failed';

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Runs vitest once. Resolves with its exit code, its report and the counts. */
function run(args) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const file = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const child = spawn(
    process.execPath,
    [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args],
    {
      cwd: inRoot('.'),
      stdio: 'inherit',
      env: { ...process.env, PATH: pathWithProject() },
    },
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      const report = readReport(file);
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, report, counts: countsOf(report, code) });
    });
  });
}

/** Maximum number of failed files that are run again. If more fail, a busy machine is not the reason. */
const MAX_UNSTABLE_FILES = 3;

/**
 * Runs the failed files again, one at a time. A test that then passes is unstable: the run does not fail, but the
 * test's name is printed so that someone fixes it.
 */
async function runAgain(first, args) {
  const failed = (first.report?.testResults ?? []).filter((file) => file.status === 'failed');
  if (failed.length === 0 || failed.length > MAX_UNSTABLE_FILES) return first;
  console.log(`\nRunning ${failed.length === 1 ? 'the failed file' : 'the failed files'} again, alone.`);
  const second = await run([...args, '--maxWorkers=1', ...failed.map(({ name }) => name)]);
  if (second.code !== 0 || second.counts.failed > 0) return first;
  const names = failed.map(
    ({ name, assertionResults }) => assertionResults.find(hasFailed)?.fullName ?? name,
  );
  console.log(`\nUnstable tests, which failed once and passed alone; please fix them: ${names.join('; ')}`);
  const before = failed.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed');
  const passed = first.counts.passed - before.length + second.counts.passed;
  return { code: 0, counts: { ...first.counts, passed, failed: 0 } };
}

async function runTests(args) {
  const given = args.filter((arg) => arg !== SECOND_TRY);
  const first = await run(given);
  const wanted = first.code !== 0 && args.includes(SECOND_TRY);
  const { code, counts } = wanted ? await runAgain(first, given) : first;
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exit(code === 0 && counts.failed === 0 ? 0 : code || 1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const args = process.argv.slice(2);
  installMissing();
  if (isNodeNewEnough()) {
    dieWithLauncher();
    buildPage();
    await runTests(args);
  } else {
    runUnderProjectNode(inRoot('bin/test.js'), args);
  }
}
