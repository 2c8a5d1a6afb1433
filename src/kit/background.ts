import type { Log } from '../core/log.ts';

/** Work that nobody waits for, until the end: then it is waited for. */
export interface Background {
  /** More than the bound at once is not begun. */
  run(what: string, work: () => Promise<unknown>): void;
  settle(): Promise<void>;
}

/** Pieces of work at once. */
const AT_ONCE = 200;

export function createBackground(log: Log): Background {
  const running = new Set<Promise<unknown>>();
  return {
    run(what, work) {
      if (running.size >= AT_ONCE) return log.warn({ what }, 'too much goes on at once; this was left out');
      const done = work().catch((err: unknown) => log.warn({ err, what }, 'this did not work'));
      running.add(done);
      void done.finally(() => running.delete(done));
    },
    settle: async () => void (await Promise.all(running)),
  };
}
