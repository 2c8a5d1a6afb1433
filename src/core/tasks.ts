/** A set of background tasks whose end can be awaited, so that no promise is left floating. */
export type Tasks = ReturnType<typeof createTasks>;

export function createTasks(failed: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  // One promise for all tasks: `Promise.race` would leave a reaction on each running task at every call.
  let next = Promise.withResolvers<void>();
  const end = (task: Promise<void>) => {
    running.delete(task);
    next.resolve();
    next = Promise.withResolvers();
  };
  return {
    /** Starts the work. A failure is passed to `failed` and never ends the process. */
    start(work: () => Promise<void>) {
      const task = work()
        .catch(failed)
        .finally(() => end(task));
      running.add(task);
    },
    get size() {
      return running.size;
    },
    /** Resolves when a task has ended. */
    oneEnded: () => next.promise,
    async allEnded() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
