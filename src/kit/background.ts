import type { Log } from '../core/log.ts';

/** Runs work in the background. `settle` waits for it at shutdown. */
export type Background = ReturnType<typeof createBackground>;

/** Maximum number of tasks that run at the same time. */
const MAX_RUNNING = 200;
/** Maximum number of queued tasks; further tasks are not run. */
const MAX_WAITING = 10_000;

interface Piece {
  readonly what: string;
  work(): Promise<unknown>;
}

export function createBackground(log: Log) {
  const running = new Set<Promise<unknown>>();
  const waiting = new Set<Piece>();
  const begin = ({ what, work }: Piece): void => {
    const done = work().catch((err: unknown) => log.warn({ err, what }, 'background work failed'));
    running.add(done);
    void done.finally(() => {
      running.delete(done);
      beginNext();
    });
  };
  const beginNext = (): void => {
    const [next] = waiting;
    if (next === undefined) return;
    waiting.delete(next);
    begin(next);
  };
  const run = (what: string, work: () => Promise<unknown>) => {
    if (running.size < MAX_RUNNING) return begin({ what, work });
    if (waiting.size < MAX_WAITING) return void waiting.add({ what, work });
    log.warn({ what }, 'too much background work; this task was skipped');
  };
  return {
    /** Starts the work, or queues it if the maximum number is running. */
    run,
    /**
     * Like `run`. Resolves with the result of the work, or with undefined if the work fails. Never rejects, and never
     * resolves if the work is skipped.
     */
    result<Value>(what: string, work: () => Promise<Value>): Promise<Value | undefined> {
      return new Promise((resolve) =>
        run(what, async () => {
          try {
            resolve(await work());
          } finally {
            resolve(undefined);
          }
        }),
      );
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
