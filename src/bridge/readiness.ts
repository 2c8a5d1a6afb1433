/** Readiness: tests a write to each store that keeps questions. */

import type { Clock } from '../core/clock.ts';
import { asBridgeError } from '../errors.ts';

/** Lifetime of a result, in milliseconds, so that many requests cost at most one write per second. */
const RESULT_KEPT_MS = 1_000;

/** Rejects if a question cannot be stored. */
export type Probe = () => Promise<void>;

/** Returns a function that reports why no question can be accepted; an empty list if every probe succeeds. */
export function createReadiness(probes: readonly Probe[], clock: Clock): () => Promise<readonly string[]> {
  let probedAt = Number.NEGATIVE_INFINITY;
  let latest: Promise<readonly string[]> = Promise.resolve([]);
  return () => {
    // Compare the absolute difference, because the clock may have been set back.
    if (Math.abs(clock.now() - probedAt) >= RESULT_KEPT_MS) {
      probedAt = clock.now();
      latest = failuresOf(probes);
    }
    return latest;
  };
}

async function failuresOf(probes: readonly Probe[]): Promise<readonly string[]> {
  const results = await Promise.allSettled(probes.map((probe) => probe()));
  return results.flatMap((result) =>
    result.status === 'rejected' ? [asBridgeError(result.reason).message] : [],
  );
}
