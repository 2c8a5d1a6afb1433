/** Measures the cost of work so that a busy machine does not change the result. */

const RUNS = 10;

/** Returns the milliseconds of CPU time that the work takes in this thread. Waits and other processes do not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns the duration of the fastest of ten runs in milliseconds, for work that waits. Other processes slow down only
 * some of the runs.
 */
export async function quickestMs(work: (nth: number) => unknown): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < RUNS; nth += 1) {
    const begun = performance.now();
    await work(nth);
    quickest = Math.min(quickest, performance.now() - begun);
  }
  return quickest;
}
