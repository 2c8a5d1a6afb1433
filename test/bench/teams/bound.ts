/** Computes lower bounds of delays for many concurrent replies from Teams' rate limits. */

interface Window {
  readonly calls: number;
  readonly ms: number;
}

/** Rate limits from Microsoft's page on rate limits, "Per bot per thread limit"; a channel counts as one thread. */
const WINDOWS: readonly Window[] = [
  { calls: 7, ms: 1_000 },
  { calls: 8, ms: 2_000 },
  { calls: 60, ms: 30_000 },
];

/** Returns the minimum milliseconds between the first and the last of this many calls. */
export function boundOf(calls: number): number {
  const made: number[] = [];
  for (let nth = 0; nth < calls; nth += 1) {
    const waits = WINDOWS.map((window) => (made[nth - window.calls] ?? -window.ms) + window.ms);
    made.push(Math.max(made.at(-1) ?? 0, ...waits));
  }
  return made.at(-1) ?? 0;
}
