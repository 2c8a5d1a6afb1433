/** Checks a run, and keeps the history of a run that broke the delivery contract. */

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Breach } from '../fakes/history/breach.ts';
import { check } from '../fakes/history/check.ts';
import { type Run, recordOf } from '../fakes/history/history.ts';
import { saveRun } from './load/save.ts';

/**
 * Returns the breaches of the run. If there are any, saves the run's history and prints the command that checks it again.
 * A run uses real time, so its seed repeats what happens, but not the order in which the calls interleave; the history
 * keeps this order.
 * @param counts returns false for a breach that the test expects
 */
export async function breachesOf(
  run: Run,
  seed = 0,
  counts: (breach: Breach) => boolean = () => true,
): Promise<readonly Breach[]> {
  const history = recordOf(run);
  const breaches = check(history).filter(counts);
  if (breaches.length === 0) return breaches;
  const file = join(await mkdtemp(join(tmpdir(), 'parley-history-')), 'history.jsonl');
  const header = { seed, engine: 'sqlite', replicas: history.replicas ?? 1 };
  await saveRun(file, { header, history });
  process.stderr.write(
    `PARLEY_SEED=${seed}; to check the run again: npm run test:faults -- --judge ${file}\n`,
  );
  return breaches;
}
