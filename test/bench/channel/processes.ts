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

export interface Platform {
  readonly url: string;
  /** Returns the times of the platform's first and last words, by the question's id. */
  answers(): Promise<Readonly<Record<string, AnswerTimes>>>;
  /** Ends all running answers early, one every 20 ms, oldest first. */
  endAnswers(): Promise<void>;
  /** Returns the p99 of the delay of the platform's event loop since the last call, in milliseconds. */
  loopMs(): Promise<number>;
}

export interface Bridge {
  readonly url: string;
  readonly pid: number;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

export interface Processes extends Pick<Platform, 'answers' | 'endAnswers' | 'loopMs'> {
  /** Address of the bridge; of its first replica if there are several. */
  readonly bridge: string;
  /** Addresses of all replicas. */
  readonly bridges: readonly string[];
  /** Process id of the bridge. */
  readonly pid: number;
}

export interface ChannelSettings {
  /** The channel's line in the bridge's configuration. */
  readonly line: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Maximum number of concurrent turns; default 500. */
  readonly turns?: number;
  /** Settings of the console; by default, the console is off. */
  readonly console?: string;
  /** Number of bridges that share the store; default 1. */
  readonly replicas?: number;
}

/** Starts both processes. Disposing `opened` ends them, even if a later step of the start fails. */
export async function openProcesses(
  opened: AsyncDisposableStack,
  settings: ChannelSettings,
): Promise<Processes> {
  const platform = await openPlatform(opened);
  const { url, pid } = await openBridge(opened, platform, settings);
  const bridges = [url];
  for (let more = 1; more < (settings.replicas ?? 1); more += 1)
    bridges.push((await openBridge(opened, platform, settings)).url);
  const { answers, endAnswers, loopMs } = platform;
  return { bridge: url, bridges, pid, answers, endAnswers, loopMs };
}

export async function openPlatform(opened: AsyncDisposableStack): Promise<Platform> {
  const [port] = await freePorts();
  const child = opened.adopt(run([PLATFORM, String(port)]), ended);
  await once(child.stdout ?? child, 'data');
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    answers: async () => (await fetch(`${url}/times`, { headers: { connection: 'close' } })).json() as never,
    loopMs: async () =>
      Number(await (await fetch(`${url}/loop`, { headers: { connection: 'close' } })).text()),
    async endAnswers() {
      await fetch(`${url}/end`, { headers: { connection: 'close' } });
    },
  };
}

/** Starts a bridge with a data folder of its own. */
export async function openBridge(
  opened: AsyncDisposableStack,
  platform: Pick<Platform, 'url'>,
  { line, environment, turns = 500, console: own = '{ enabled: false }' }: ChannelSettings,
): Promise<Bridge> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const config = join(folder, 'parley.yaml');
  await writeFile(config, configOf({ platform: platform.url, line, turns, console: own }));
  const settings = { PORT: '0', PARLEY_DATA: folder, ...environment };
  const child = opened.adopt(run([...startCommand, '--config', config], settings), ended);
  return { url: await readyAddress(child), pid: child.pid ?? 0, kill: () => ended(child) };
}

function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
}

interface Config {
  /** Address of the platform. */
  readonly platform: string;
  readonly line: string;
  readonly turns: number;
  readonly console: string;
}

const configOf = ({ platform, line, turns, console: own }: Config): string => `
platform: { baseUrl: '${platform}' }
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
limits: { questionsPerMinute: 1000000, turns: ${turns} }
console: ${own}
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
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  // SIGKILL is enough: the data folder is deleted next, so the process need not save anything.
  child.kill('SIGKILL');
  await exit;
}
