/** Measures the cost of work so that a busy machine does not change the result. */

/** Returns the milliseconds of CPU time that the work takes in this thread. Waits and other processes do not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
