/** Measures the cost of work so that a busy machine does not change the result. */

const RUNS = 10;

/** Milliseconds of CPU time of this thread: neither waits nor other processes count. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Milliseconds of the quickest of ten runs, for work that waits: other processes slow down some runs, not all. */
export async function quickestMs(work: (nth: number) => unknown): Promise<number> {
  let quickest = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < RUNS; nth += 1) {
    const begun = performance.now();
    await work(nth);
    quickest = Math.min(quickest, performance.now() - begun);
  }
  return quickest;
}
