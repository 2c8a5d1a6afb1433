/** Combines log, metrics and receipts into the one `TurnEvents` that the core records to. */

import type { Log } from '../core/log.ts';
import type { TurnEvents } from '../core/turn-events.ts';
import { createJournal, type Journal } from '../observe/journal.ts';
import { everyTurnEvents, logTurnEvents } from '../observe/log.ts';
import { createMetrics, type Metrics } from '../observe/metrics.ts';
import type { Store } from '../store/index.ts';

export interface Observers {
  readonly turnEvents: TurnEvents;
  readonly journal: Journal;
  readonly metrics: Metrics;
}

export function makeObservers(store: Store, log: Log): Observers {
  const journal = createJournal(store.keyed('receipts'), (err) =>
    log.warn({ err }, 'a timeline was not stored'),
  );
  const metrics = createMetrics(() => store.gauges());
  const turnEvents = everyTurnEvents([logTurnEvents(log), metrics.turnEvents, journal.turnEvents], log);
  return { turnEvents, journal, metrics };
}
