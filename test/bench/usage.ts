/** Memory and CPU time of a process, as the system counts them, and the delay of this process's event loop. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Clock ticks per second in `/proc`, on all common systems. */
const TICKS_A_SECOND = 100;

export const residentMiB = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** Returns the CPU time of a process so far, in seconds. Works on Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

const NS_PER_MS = 1e6;
/**
 * Milliseconds between two samples of the delay of an event loop. The bridge's metrics use the same value by default.
 */
export const SAMPLE_EVERY_MS = 10;

/**
 * Starts to measure the delay of this process's event loop. Returns a function that returns the p99 of the delays since
 * its previous call, in milliseconds.
 */
export function watchLoop(): () => number {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
  delay.enable();
  return () => {
    const p99 = delay.percentile(99) / NS_PER_MS - SAMPLE_EVERY_MS;
    delay.reset();
    return Math.max(0, p99);
  };
}
