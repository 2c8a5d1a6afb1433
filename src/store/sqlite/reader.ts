/** Reads the file on a thread of its own, because SQLite's functions block the thread that calls them. */

import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/clock.ts';
import { storeUnavailable } from '../../sqlite.ts';
import type { Reader } from '../reader.ts';
import { once, type Sql, type Steps, sql } from '../sql.ts';
import type { Row } from '../turn-rows.ts';
import { textOf } from './run.ts';
import { TOTALS, totalsOf } from './status.ts';

/** One statement, and its result. `failure` is the message of SQLite's error. */
export interface ReadRequest {
  readonly id: number;
  readonly text: string;
  readonly values: Sql['values'];
}
export type ReadResponse = { readonly id: number } & (
  | { readonly rows: readonly Row[] }
  | { readonly failure: string }
);

/** Maximum number of statements that wait for the thread. */
const MAX_WAITING = 100;

/** The thread's file, which has the ending of this file: `.ts` from source, `.js` in the package. */
const threadFile = new URL(import.meta.url.replace(/reader(?=\.\w+$)/, 'reader-thread'));

/** Opens a reader of the store's file. The thread ends with the process, or with `close`. */
export function openFileReader(file: string, clock: Pick<Clock, 'now'>): Reader {
  const thread = openThread(file);
  return { ...readsOf(thread.rows, clock), close: thread.close };
}

/** Returns a reader that uses the connection of the bridge itself: for a store in memory, which has no other one. */
export const memoryReader = (
  read: <T>(steps: Steps<T>) => Promise<T>,
  clock: Pick<Clock, 'now'>,
): Reader => ({
  ...readsOf((statement) => read(once(statement)), clock),
  close: async () => undefined,
});

function readsOf(rows: (statement: Sql) => Promise<readonly Row[]>, clock: Pick<Clock, 'now'>) {
  return {
    wraps: true,
    async read<T>(steps: Steps<T>): Promise<T> {
      let step = steps.next([]);
      while (step.done !== true) step = steps.next(await rows(step.value));
      return step.value;
    },
    now: async () => clock.now(),
    async status() {
      const [row = {}] = await rows(sql([TOTALS]));
      return { ...totalsOf(row, clock.now()), replicas: [], workspaces: [] };
    },
  };
}

function openThread(file: string) {
  const waiting = new Map<number, PromiseWithResolvers<readonly Row[]>>();
  let count = 0;
  let thread: Worker | undefined;
  const fail = (thrown: unknown) => {
    thread = undefined;
    for (const { reject } of waiting.values()) reject(storeUnavailable(thrown));
    waiting.clear();
  };
  const start = (): Worker => {
    const started = new Worker(threadFile, { workerData: file, execArgv: [] });
    started.unref();
    started.on('message', (response: ReadResponse) => {
      const request = waiting.get(response.id);
      waiting.delete(response.id);
      if ('rows' in response) request?.resolve(response.rows);
      else request?.reject(storeUnavailable(new Error(response.failure)));
    });
    started.on('error', fail);
    return started;
  };
  return {
    async rows(statement: Sql): Promise<readonly Row[]> {
      if (waiting.size >= MAX_WAITING) throw storeUnavailable(new Error('too many queries wait'));
      thread ??= start();
      const request = Promise.withResolvers<readonly Row[]>();
      const id = ++count;
      waiting.set(id, request);
      thread.postMessage({ id, text: textOf(statement), values: statement.values } satisfies ReadRequest);
      return request.promise;
    },
    async close(): Promise<void> {
      const ended = thread;
      fail(new Error('the store is closed'));
      await ended?.terminate();
    },
  };
}
