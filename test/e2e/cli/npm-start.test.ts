/** Tests that the bridge ends together with npm and its shell, but only after its running answers. */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const READY_MS = 90_000;
/**
 * Maximum milliseconds until all processes have ended. The bridge waits up to 20 s for running answers, but there are
 * none in these tests.
 */
const ENDED_MS = 60_000;

let data: DataFolder;
beforeAll(async () => {
  data = await makeDataFolder();
});
afterAll(() => data.remove());

const groups: number[] = [];
afterEach(() => {
  for (const group of groups.splice(0)) killLeft(group);
});

/** Kills the processes that a failed test left running. */
function killLeft(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // The group's processes have already ended.
  }
}

interface Started {
  readonly npm: ChildProcess;
  /** Output of npm and the bridge so far. */
  output(): string;
  /** Resolves when all processes that could write have ended, including the bridge. */
  readonly ended: Promise<void>;
}

async function npmStart(environment: Readonly<Record<string, string>> = {}): Promise<Started> {
  const npm = spawn('npm', ['start'], {
    cwd: root,
    // Starts a new process group, as a terminal does for a command.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PORT: '0', PARLEY_SANDBOX_PORT: '0', PARLEY_DATA: data.path, ...environment },
  });
  groups.push(Number(npm.pid));
  let written = '';
  const ended = new Promise<void>((resolve) => npm.once('close', () => resolve()));
  const ready = new Promise<void>((resolve) => {
    const read = (chunk: Buffer) => {
      written += chunk;
      if (written.includes('Parley is ready')) resolve();
    };
    npm.stdout.on('data', read);
    npm.stderr.on('data', read);
  });
  await Promise.race([ready, ended]);
  expect(written).toContain('Parley is ready');
  return { npm, output: () => written, ended };
}

const stops = (output: string) => output.match(/stopping: waiting for running answers/g)?.length ?? 0;

// Sending SIGINT to npm alone is not tested: while the bridge runs, the shell does not forward it.
it(
  'SIGTERM to npm alone ends the bridge after its running answers',
  async () => {
    const { npm, output, ended } = await npmStart();
    npm.kill('SIGTERM');
    await ended;
    expect(stops(output())).toBe(1);
    // A second start succeeds only if the first bridge has released the data folder.
    const again = await npmStart();
    again.npm.kill('SIGTERM');
    await again.ended;
  },
  2 * (READY_MS + ENDED_MS),
);

it(
  'Ctrl-C, which reaches all processes, counts as one press',
  async () => {
    const { npm, output, ended } = await npmStart();
    process.kill(-Number(npm.pid), 'SIGINT');
    await ended;
    expect(stops(output())).toBe(1);
  },
  READY_MS + ENDED_MS,
);

it(
  'the older Node, which only starts the newer one, also ends with npm',
  async () => {
    const child = `
      process.on('SIGTERM', () => { console.log('asked to end'); process.exit(0); });
      console.log('runs');
      setInterval(() => undefined, 1000);`;
    const launcher = `
      import { spawn } from 'node:child_process';
      import { endLike } from '${root}bin/first-step.js';
      endLike(spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }));`;
    const shell = spawn('sh', ['-c', `"$NODE" --input-type=module -e "$LAUNCHER_SCRIPT"; true`], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE: process.execPath,
        LAUNCHER_SCRIPT: launcher,
        npm_lifecycle_event: 'start',
        npm_package_name: 'parley',
      },
    });
    let written = '';
    shell.stdout.on('data', (chunk) => {
      written += chunk;
      if (written.includes('runs')) shell.kill('SIGTERM');
    });
    await new Promise((resolve) => shell.once('close', resolve));
    expect(written).toContain('asked to end');
  },
  READY_MS,
);
