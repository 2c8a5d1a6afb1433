/** `npm test`: the first step, then every test, then one plain line with the counts. */
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

/** Of vitest's JSON report; what fails outside of any test counts as one failure. */
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

function runTests(args) {
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
  child.on('exit', (code) => {
    const counts = countsOf(readReport(file), code);
    rmSync(folder, { recursive: true, force: true });
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
    process.exit(code === 0 && counts.failed === 0 ? 0 : code || 1);
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const args = process.argv.slice(2);
  installMissing();
  if (isNodeNewEnough()) {
    dieWithLauncher();
    buildPage();
    runTests(args);
  } else {
    runUnderProjectNode(inRoot('bin/test.js'), args);
  }
}
