/**
 * Measures the memory of the real bridge process while it answers 500 threads at the same time, through the real
 * platform client.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figure.ts';
import { freePorts } from './free-ports.ts';
import { startCommand } from './start-command.ts';
import { residentMiB } from './usage.ts';

const TURNS = 500;
const TARGET_MIB = 200;
/** Milliseconds between two pieces of an answer: slow enough that all turns run concurrently on a small machine. */
const PACE_MS = 400;
const LOOK_EVERY_MS = 100;
const MAX_WAIT_MS = 120_000;
const QUESTION = '@knowledge What does the travel policy say about trains, hotels and meals?';

export const memoryOfTurnsAtOnce = (): Promise<readonly Figure[]> => withBridge({}, PACE_MS, measure);

interface Bridge {
  readonly address: string;
  readonly pid: number;
}

/** Starts a bridge with its sandbox, which writes a piece of an answer every `paceMs` milliseconds, for the work. */
export async function withBridge<Value>(
  more: Readonly<Record<string, string>>,
  paceMs: number,
  work: (bridge: Bridge) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const config = join(folder, 'parley.yaml');
  await writeFile(config, `limits: { questionsPerMinute: 100000, turns: ${TURNS} }\n`);
  const [, sandboxPort] = await freePorts();
  const environment = {
    PORT: '0',
    PARLEY_SANDBOX_PORT: String(sandboxPort),
    PARLEY_DATA: folder,
    PARLEY_CONFIG: config,
    ...more,
  };
  const child = spawn(process.execPath, startCommand, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...environment, PARLEY_LOG_LEVEL: 'error' },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const address = await readyAddress(child.stdout);
    await slowDown(sandboxPort, paceMs);
    return await work({ address, pid: child.pid ?? 0 });
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure({ address, pid }: Bridge): Promise<readonly Figure[]> {
  const asking = Array.from({ length: TURNS }, (_, nth) => ask(address, nth));
  let peak = 0;
  let most = 0;
  const until = performance.now() + MAX_WAIT_MS;
  for (let answered = 0; answered < TURNS && performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    peak = Math.max(peak, residentMiB(pid));
    const metrics = await (await fetch(`${address}/metrics`)).text();
    most = Math.max(most, figureOf(metrics, /parley_turns\{state="running"\} (\d+)/));
    answered = answeredIn(metrics);
  }
  await Promise.all(asking);
  return [
    {
      name: 'turns running at once, the most',
      value: most,
      unit: 'turns',
      target: `${TURNS}`,
      ok: most === TURNS,
    },
    {
      name: `memory of the bridge with ${TURNS} turns at once, the most`,
      value: peak,
      unit: 'MiB',
      target: `<= ${TARGET_MIB} MiB`,
      ok: peak <= TARGET_MIB,
    },
  ];
}

async function slowDown(sandboxPort: number, paceMs: number): Promise<void> {
  await fetch(`http://127.0.0.1:${sandboxPort}/__sandbox/options`, {
    method: 'POST',
    body: JSON.stringify({ paceMs }),
  });
}

export async function ask(address: string, nth: number): Promise<void> {
  const answer = await fetch(`${address}/console/rooms/general/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ as: 'engineer', text: QUESTION, files: [], nonce: `bench-${nth}` }),
  });
  if (!answer.ok) throw new Error(`A question was refused: ${await answer.text()}`);
  await answer.body?.cancel();
}

/** Returns the number of answered turns. */
export const answeredIn = (metrics: string): number =>
  figureOf(metrics, /parley_turns_ended_total\{[^}]*state="answered"[^}]*\} (\d+)/);

function figureOf(metrics: string, pattern: RegExp): number {
  return Number(pattern.exec(metrics)?.[1] ?? 0);
}

function readyAddress(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = '';
    output.on('data', (chunk) => {
      written += String(chunk);
      const found = /Parley is ready: (\S+)/.exec(written)?.[1];
      if (found !== undefined) resolve(found);
    });
    output.on('end', () => reject(new Error('The bridge ended before it was ready.')));
  });
}
