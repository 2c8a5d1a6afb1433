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
  // One promise for all tasks: `Promise.race` would leave a reaction on each running task at every call.
  let next = Promise.withResolvers<void>();
  const end = (task: Promise<void>) => {
    running.delete(task);
    next.resolve();
    next = Promise.withResolvers();
  };
  return {
    start(work) {
      const task = work()
        .catch(failed)
        .finally(() => end(task));
      running.add(task);
    },
    get size() {
      return running.size;
    },
    oneEnded: () => next.promise,
    async allEnded() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
