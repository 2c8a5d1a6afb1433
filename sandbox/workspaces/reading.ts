import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../clock.ts';
import type { Block } from '../knowledge/chunk.ts';

export interface FileToRead {
  /** File extension in lower case, such as `md`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What the process answers: the file's blocks, or why the file could not be read. */
export type ReadResult = { readonly blocks: readonly Block[] } | { readonly reason: string };

/** Maximum time and memory for reading one file. The values are the sandbox's choice. */
export const READING_LIMITS = { milliseconds: 60_000, heapMib: 512 };

export type Reader = ReturnType<typeof createReader>;

/**
 * Creates a reader of files that works in a separate process. If a malicious file takes too long to read, or needs too
 * much memory when it is unpacked, only that process stops. A thread would not suffice, because a file of 1 MB that
 * unpacks to 400 MB crashes the whole process with all its threads.
 */
export function createReader(limits: typeof READING_LIMITS, signal: AbortSignal) {
  let child: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const ended = child;
    child = undefined;
    if (ended !== undefined) await end(ended);
  };
  return {
    /** Kills the process. The next file starts another one. */
    stop,
    /**
     * Returns the blocks of a file. If the file cannot be read, throws an error that says why. Must not be called again
     * before the previous call has resolved or rejected.
     */
    read: async (file: FileToRead): Promise<readonly Block[]> => {
      child ??= start(limits);
      const done = new AbortController();
      const ending = AbortSignal.any([signal, done.signal]);
      const answer = await Promise.race([answerOf(child, file), tooLong(limits, ending)])
        .catch(async (error: unknown) => {
          await stop();
          throw error;
        })
        .finally(() => done.abort());
      if ('blocks' in answer) return answer.blocks;
      throw new Error(answer.reason);
    },
  };
}

function start({ heapMib }: typeof READING_LIMITS): ChildProcess {
  // The main file is `.ts` beside the sources, and `.js` beside the compiled code.
  const entry = fileURLToPath(import.meta.url).replace(/reading(\.[jt]s)$/, 'reading-process$1');
  return fork(entry, {
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${heapMib}`],
    // The process reads files that may be malicious, so it gets no environment variables. Its output is dropped,
    // because it would not help the operator.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function answerOf(child: ChildProcess, file: FileToRead): Promise<ReadResult> {
  return new Promise((resolve, reject) => {
    for (const event of ['message', 'error', 'exit']) child.removeAllListeners(event);
    child.once('message', (answer: ReadResult) => resolve(answer));
    child.once('error', reject);
    child.once('exit', () => reject(new Error('Reading the file takes too much memory.')));
    child.send(file, (error) => {
      if (error !== null) reject(error);
    });
  });
}

/** Rejects after the time limit. Uses the real clock, because a process runs in real time. */
async function tooLong({ milliseconds }: typeof READING_LIMITS, ending: AbortSignal): Promise<never> {
  await systemClock.sleep(milliseconds, ending);
  throw new Error(`Reading the file takes longer than ${milliseconds / 1000} s.`);
}
