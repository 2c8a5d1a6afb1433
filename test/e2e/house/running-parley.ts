/** Runs the command of `npm start` as a separate process with its own data folder and free ports. */

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { giveDocuments, keepDocuments } from './read-documents.ts';

const READY_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 50;
export const ENTRY = new URL('../../../bin/parley.js', import.meta.url).pathname;

export interface RunningParley {
  readonly url: string;
  readonly pid: number | undefined;
  /** Kills the process with SIGKILL, as suddenly as a power cut. */
  kill(): Promise<void>;
  /** Ends the process with SIGTERM, as a deployment does. Resolves with the exit code. */
  terminate(): Promise<number | null>;
  /** Output of the process. */
  output(): string;
}

export interface DataFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeDataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'parley-e2e-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/**
 * @param entry file of the command; takeover tests pass the file of another version
 * @param inside command that runs the command after it, such as in a network of its own
 */
export async function runParley(
  data: DataFolder,
  environment: Environment = {},
  entry: string = ENTRY,
  inside: readonly string[] = [],
): Promise<RunningParley> {
  const indexes = indexesFirst(data, environment);
  const shipped = indexes && entry === ENTRY && hasShippedDocuments(environment);
  if (shipped) await giveDocuments(data.path);
  const [program = '', ...words] = [...inside, process.execPath, entry, 'start'];
  const child = spawn(program, words, {
    env: { ...process.env, PORT: '0', PARLEY_SANDBOX_PORT: '0', PARLEY_DATA: data.path, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  let written = '';
  const url = await readyAddress(child, ended, (text) => {
    written += text;
    return written;
  });
  if (indexes) await untilIndexed(() => written);
  if (shipped) await keepDocuments(data.path);
  return {
    url,
    pid: child.pid,
    output: () => written,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async terminate() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Starts a process that is expected to fail. If it becomes ready, it is killed, and `code` is null. */
export function runToItsEnd(environment: Environment): Promise<{ code: number | null; written: string }> {
  const child = spawn(process.execPath, [ENTRY, 'start'], {
    env: { ...process.env, PORT: '0', PARLEY_SANDBOX_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  const keep = (chunk: Buffer): void => {
    written += chunk;
    if (written.includes('Parley is ready')) child.kill('SIGKILL');
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, written })));
}

type Environment = Readonly<Record<string, string>>;

/**
 * True if this start indexes the embedded sandbox's documents and logs that. This needs a new data folder, no other
 * platform, and the default log level.
 */
const indexesFirst = ({ path }: DataFolder, environment: Environment): boolean =>
  !existsSync(join(path, 'parley.sqlite')) &&
  !hasPlatform(environment) &&
  environment.PARLEY_LOG_LEVEL === undefined;

/** True if a platform other than the embedded one is set. */
const hasPlatform = (environment: Environment): boolean =>
  environment.PLATFORM_BASE_URL !== undefined || /baseUrl"?:/.test(configIn(environment));

/** True if the embedded sandbox reads the documents that ship with it. */
const hasShippedDocuments = (environment: Environment): boolean =>
  !/knowledge"?:/.test(configIn(environment));

const configIn = ({ PARLEY_CONFIG }: Environment): string =>
  PARLEY_CONFIG === undefined ? '' : readFileSync(PARLEY_CONFIG, 'utf8');

/** Resolves when the documents are indexed. Before that, the agent only asks people to wait. */
async function untilIndexed(output: () => string): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  while (!output().includes('documents are indexed')) {
    if (Date.now() > until) throw new Error(`Parley did not index its documents:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

function readyAddress(
  child: ChildProcess,
  ended: Promise<number | null>,
  keep: (text: string) => string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS);
    let all = '';
    const fail = (why: string) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`Parley ${why}:\n${all}`));
    };
    const read = (chunk: Buffer) => {
      all = keep(chunk.toString());
      const address = /Parley is ready: (\S+)/.exec(all)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void ended.then((code) => fail(`ended with ${code}`));
  });
}
