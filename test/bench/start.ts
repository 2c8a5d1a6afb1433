/**
 * Measures target P13: the time from the command of `npm start` to the first 200 of `/readyz`, with the embedded
 * sandbox and installed packages.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { freePorts } from './free-ports.ts';
import { startCommand } from './start-command.ts';

const RUNS = 5;
const TARGET_MS = 1_000;
const LOOK_EVERY_MS = 5;
const MAX_WAIT_MS = 30_000;

export async function run(): Promise<readonly Figure[]> {
  await startOnce();
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) times.push(await startOnce());
  times.sort((a, b) => a - b);
  const [middle, worst] = [times[Math.floor(RUNS / 2)] ?? 0, times.at(-1) ?? 0];
  const target = `<= ${TARGET_MS} ms`;
  return [
    { name: 'P13 start to ready, median of 5', value: middle, unit: 'ms', target, ok: middle <= TARGET_MS },
    { name: 'P13 start to ready, worst of 5', value: worst, unit: 'ms', target, ok: worst <= TARGET_MS },
  ];
}

/** Returns the milliseconds of one start with an empty data folder. */
async function startOnce(): Promise<number> {
  const data = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const [port, sandboxPort] = await freePorts();
  const began = performance.now();
  const child = spawn(process.execPath, startCommand, {
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      PARLEY_SANDBOX_PORT: String(sandboxPort),
      PARLEY_DATA: data,
    },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await untilReady(`http://127.0.0.1:${port}/readyz`);
    return performance.now() - began;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(data, { recursive: true, force: true });
  }
}

async function untilReady(address: string): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while (performance.now() < until) {
    const status = await fetch(address).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`${address} did not answer 200 within ${MAX_WAIT_MS} ms.`);
}
