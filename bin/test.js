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

/** Runs vitest. Resolves with its exit code and the counts. */
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
      const counts = countsOf(readReport(file), code);
      rmSync(folder, { recursive: true, force: true });
      resolve({ code, counts });
    });
  });
}

async function runTests(args) {
  const { code, counts } = await run(args);
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
