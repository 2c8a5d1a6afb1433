/** One row of a bench's table. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target: string;
  readonly ok: boolean;
}

/** Returns the quantile of the values for a share such as 0.95; NaN for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function atMost(name: string, ms: number, target: number): Figure {
  return { name, value: ms, unit: 'ms', target: `<= ${Math.round(target)} ms`, ok: ms <= target };
}

export function none(name: string, count: number): Figure {
  return { name, value: count, unit: '', target: '0', ok: count === 0 };
}

const SECOND_MS = 1_000;

/** Runs one part of a bench. Prints its name and duration on standard error. */
export async function part<Value>(what: string, run: () => Promise<Value>): Promise<Value> {
  const began = performance.now();
  process.stderr.write(`  ${what} … `);
  try {
    return await run();
  } finally {
    process.stderr.write(`${Math.round((performance.now() - began) / SECOND_MS)} s\n`);
  }
}
