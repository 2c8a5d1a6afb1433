/** Runs the sandbox as a process: for a bridge, for a single command, or in the foreground. */

import { type ChildProcess, fork, spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { extname, join } from 'node:path';
import { z } from 'zod';
import { systemClock } from '../clock.ts';
import { processEnvironment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { type Clock, within } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { proxiesIn } from '../outgoing.ts';
import { keepFilesPrivate } from './own-process.ts';
import type { Progress } from './start-screen.ts';

/**
 * Pause before the sandbox is started again, in milliseconds. It doubles with each restart, and starts over once the
 * sandbox has run for a minute.
 */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const STABLE_MS = 60_000;
/** Maximum attempts to open the port, which the sandbox of a bridge that was just killed may still use. */
const PORT_TRIES = 8;
/** Maximum time in which the sandbox of a running bridge must answer, in milliseconds. */
const RUNNING_MS = 5_000;
/** Exit codes of the sandbox (sysexits): its port is in use; it cannot write its data. */
const PORT_TAKEN = 69;
const CANNOT_CREATE = 73;
/** Maximum time that a command waits for the documents to be indexed, in milliseconds. After that, it continues. */
const INDEXING_MS = 20_000;
/** Maximum characters of the sandbox's error output that an error message quotes. */
const MAX_ERROR_CHARS = 4_000;

export interface SandboxNews {
  indexing(progress: Progress): void;
  /** Called when the sandbox has ended by itself and will be started again. */
  restarted(code: number | null): void;
  complained(text: string): void;
}

/**
 * Runs the sandbox as a process of its own, and starts it again whenever it ends, until `stop`. The sandbox ends
 * together with this process, even if this process is killed, because the IPC channel between them closes.
 */
export function runSandbox(config: Config, news: SandboxNews, clock: Clock) {
  const stopping = new AbortController();
  const opened = Promise.withResolvers<string>();
  opened.promise.catch(() => undefined);
  let life: Life | undefined;

  const supervise = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    let wasOpen = false;
    for (let tries = 1; !stopping.signal.aborted; tries++) {
      const began = clock.now();
      life = beginLife(config, news, opened.resolve);
      const { code, everListened, complaints } = await life.ended;
      if (stopping.signal.aborted) return;
      wasOpen ||= everListened;
      if (!wasOpen && (code !== PORT_TAKEN || tries >= PORT_TRIES))
        return opened.reject(refusal(code, complaints));
      if (wasOpen) news.restarted(code);
      if (clock.now() - began > STABLE_MS) pause = FIRST_PAUSE_MS;
      await clock.wait(pause, stopping.signal).catch(() => undefined);
      pause = Math.min(pause * 2, wasOpen ? LONGEST_PAUSE_MS : FIRST_PAUSE_MS);
    }
  };
  const supervised = supervise();
  return {
    /**
     * Resolves with the sandbox's address once it can be called for the first time. Rejects with `port-in-use` or
     * `internal`.
     */
    opened: opened.promise,
    /** True while the sandbox can be called. */
    get listening() {
      return life?.listening() ?? false;
    },
    async stop() {
      stopping.abort();
      life?.child.kill('SIGTERM');
      await supervised;
    },
  };
}

type Life = ReturnType<typeof beginLife>;

function beginLife(config: Config, news: SandboxNews, opened: (url: string) => void) {
  const child = spawnSandbox(config);
  let everListened = false;
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (everListened) news.complained(text);
    else complaints = (complaints + text).slice(-MAX_ERROR_CHARS);
  });
  child.on('message', (message: unknown) => {
    const { data } = event.safeParse(message);
    if (data?.type === 'indexing') news.indexing(data);
    if (data?.type !== 'ready') return;
    everListened = true;
    opened(data.url);
  });
  const ended = new Promise<{ code: number | null; everListened: boolean; complaints: string }>((resolve) => {
    child.once('error', (error) => resolve({ code: null, everListened, complaints: error.message }));
    child.once('close', (code) => resolve({ code, everListened, complaints }));
  });
  return {
    child,
    ended,
    listening: () => everListened && child.exitCode === null && child.signalCode === null,
  };
}

/** Returns the path of the sandbox's main file: `.ts` if this file is a source, `.js` if it is compiled. */
function sandboxMain(): string {
  return join(import.meta.dirname, '../../sandbox', `main${extname(import.meta.filename)}`);
}

/** Returns the environment of the sandbox, in which Node's own `fetch` takes the proxies to the model. */
function sandboxEnvironment() {
  const own = processEnvironment();
  const proxies = proxiesIn(own);
  return { ...own, ...(proxies !== undefined && { NODE_USE_ENV_PROXY: '1', no_proxy: proxies.noProxy }) };
}

/**
 * Starts the sandbox in its own process group. Ctrl-C then does not reach it, so the bridge can still finish its
 * answers.
 */
function spawnSandbox({ data, sandbox }: Config): ChildProcess {
  const { port, knowledge, model } = sandbox;
  const args = ['--port', String(port), '--data', join(data, 'sandbox')];
  const cache = getCompileCacheDir();
  const env = {
    ...sandboxEnvironment(),
    ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }),
    ...(model !== undefined && {
      SANDBOX_MODEL_URL: model.baseUrl,
      SANDBOX_MODEL: model.name,
      SANDBOX_MODEL_KEY: model.key?.reveal() ?? '',
    }),
  };
  return fork(sandboxMain(), knowledge === undefined ? args : [...args, '--knowledge', knowledge], {
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** Messages that the sandbox sends to its parent process. */
const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), url: z.string() }),
  z.object({ type: z.literal('indexing'), done: z.number(), total: z.number() }),
]);

function refusal(code: number | null, complaints: string): BridgeError {
  const text = complaints.trim().replace('Start with --port ', 'Set PARLEY_SANDBOX_PORT=');
  if (code === PORT_TAKEN) return new BridgeError('port-in-use', text);
  const cure = 'Allow this user to write there, or set PARLEY_DATA to another folder.';
  if (code === CANNOT_CREATE) return new BridgeError('data-not-writable', `${text} ${cure}`);
  return new BridgeError(
    'internal',
    `The sandbox ended during its start (exit code ${String(code)}). ${text}`,
  );
}

/**
 * Returns the sandbox of a running bridge if it answers. Otherwise starts a sandbox on a free port (`isTemporary`),
 * which runs until `stop`.
 */
export async function borrowSandbox(config: Config) {
  const baseUrl = `http://127.0.0.1:${config.sandbox.port}`;
  if (config.sandbox.port !== 0) {
    const answer = fetch(baseUrl, { method: 'HEAD', redirect: 'manual' }).catch(() => undefined);
    if (await within(answer, RUNNING_MS, systemClock))
      return { url: baseUrl, isTemporary: false, stop: async () => undefined };
  }
  const own = { ...config, sandbox: { ...config.sandbox, port: 0 } };
  const indexed = Promise.withResolvers<void>();
  const news = {
    indexing: ({ done, total }: Progress) => (done >= total ? indexed.resolve() : undefined),
    restarted: () => undefined,
    complained: () => undefined,
  };
  const sandbox = runSandbox(own, news, systemClock);
  try {
    const url = await sandbox.opened;
    await within(indexed.promise, INDEXING_MS, systemClock);
    return { url, isTemporary: true, stop: sandbox.stop };
  } catch (thrown) {
    await sandbox.stop();
    throw thrown;
  }
}

/** Runs the sandbox in the foreground with its own options. */
export function sandbox(
  _options: object,
  _deps: unknown,
  [options]: readonly [readonly string[]],
): Promise<number> {
  keepFilesPrivate();
  const child = spawn(process.execPath, [sandboxMain(), ...options], {
    env: sandboxEnvironment(),
    stdio: 'inherit',
  });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 0));
  });
}
