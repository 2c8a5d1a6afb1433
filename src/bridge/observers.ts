/** Log, metrics and receipts, behind the one witness that the core tells. */

import type { Log } from '../core/log.ts';
import type { Witness } from '../core/witness.ts';
import { createJournal, type Journal } from '../observe/journal.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import { everyWitness, logWitness } from '../observe/witness.ts';
import type { Store } from '../store/index.ts';

export interface Observers {
  readonly witness: Witness;
  readonly journal: Journal;
  readonly metrics: Metrics;
}

export function makeObservers(store: Store, log: Log): Observers {
  const journal = createJournal(store.keyed('receipts'), (err) =>
    log.warn({ err }, 'a receipt was not stored'),
  );
  const metrics = createMetrics(() => store.inbox.counts());
  const witness = everyWitness([logWitness(log), metrics.witness, journal.witness], log);
  return { witness, journal, metrics };
}
