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
 * Returns the milliseconds that the fastest of ten runs takes, including its waits. Other processes slow down only some
 * of the runs, so they rarely change the result.
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
