/** Readiness: tests a write to each store that keeps questions. */

import type { Clock } from '../core/clock.ts';
import { asBridgeError } from '../errors.ts';

/** How long a result counts, in milliseconds, so that a flood of requests costs one write a second. */
const RESULT_KEPT_MS = 1_000;

/** Rejects when a question cannot be kept. */
export type Probe = () => Promise<void>;

/** The reasons why no question can be taken; none when every probe succeeds. */
export function createReadiness(probes: readonly Probe[], clock: Clock): () => Promise<readonly string[]> {
  let probedAt = Number.NEGATIVE_INFINITY;
  let latest: Promise<readonly string[]> = Promise.resolve([]);
  return () => {
    // The clock may have been set back.
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
