/** A set of background tasks whose end can be awaited, so that no promise is left floating. */
export interface Tasks {
  /** Starts the work. A failure is passed to `failed` and never ends the process. */
  start(work: () => Promise<void>): void;
  readonly size: number;
  /** Resolves when a task has ended. */
  oneEnded(): Promise<void>;
  allEnded(): Promise<void>;
}

export function createTasks(failed: (error: unknown) => void): Tasks {
  const running = new Set<Promise<void>>();
  return {
    start(work) {
      const task = work()
        .catch(failed)
        .finally(() => running.delete(task));
      running.add(task);
    },
    get size() {
      return running.size;
    },
    async oneEnded() {
      await Promise.race(running);
    },
    async allEnded() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
