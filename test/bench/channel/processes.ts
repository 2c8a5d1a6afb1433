/** Starts the bridge and a platform as separate processes. The questions come from a channel's fake. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../free-ports.ts';
import { startCommand } from '../start-command.ts';

const PLATFORM = new URL('./platform.ts', import.meta.url).pathname;

export interface AnswerTimes {
  readonly firstAt: number;
  readonly endAt: number;
}

export interface Processes {
  /** Address of the bridge. */
  readonly bridge: string;
  /** Returns the times of the platform's first and last words, by the question's id. */
  answers(): Promise<Readonly<Record<string, AnswerTimes>>>;
}

export interface ChannelSettings {
  /** The channel's line in the bridge's configuration. */
  readonly line: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts both processes. Disposing `opened` ends them, even if a later step of the start fails. */
export async function openProcesses(
  opened: AsyncDisposableStack,
  { line, environment }: ChannelSettings,
): Promise<Processes> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const [port] = await freePorts();
  const platform = opened.adopt(run([PLATFORM, String(port)]), ended);
  await once(platform.stdout ?? platform, 'data');
  const config = join(folder, 'parley.yaml');
  await writeFile(config, configOf(port, line));
  const settings = { PORT: '0', PARLEY_DATA: folder, ...environment };
  const bridge = opened.adopt(run([...startCommand, '--config', config], settings), ended);
  return {
    bridge: await readyAddress(bridge),
    answers: async () => (await fetch(`http://127.0.0.1:${port}/times`)).json() as never,
  };
}

function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
}

const configOf = (port: number, line: string): string => `
platform: { baseUrl: 'http://127.0.0.1:${port}' }
agents:
  speaker:
    interface: lite-key
    description: Says what it is asked to say
    credential: { kind: api-key, key: bench-key }
  librarian:
    interface: open
    expertCode: librarian
    description: Says what it is asked to say, with references
    credential: { kind: client-account, client: bench, secret: secret, account: bench }
defaultAgent: speaker
limits: { questionsPerMinute: 1000000, turns: 500 }
console: { enabled: false }
${line}
log: { level: error }
`;

/**
 * Resolves with the bridge's address once it is ready. Goes on reading the output, because a full pipe would block the
 * bridge.
 */
function readyAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /ready: (http\S+)/.exec(printed);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error(`The bridge ended before it was ready: ${printed}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  // SIGKILL is enough: the data folder is deleted next, so the process need not save anything.
  child.kill('SIGKILL');
  await exit;
}
