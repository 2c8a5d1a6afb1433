/** Combines log, metrics and receipts into the one `TurnEvents` that the core records to. */

import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { NoteAct } from '../core/stores/audit.ts';
import { createJournal } from '../observe/journal.ts';
import { everyTurnEvents, logTurnEvents } from '../observe/log.ts';
import { createMetrics } from '../observe/metrics.ts';
import type { Store } from '../store/index.ts';
import { limitRefused } from './refused-acts.ts';

/** Calls the listener with the path of the rules file whenever the rules in force have changed. */
export type OnRulesReload = (listener: (file: string) => void) => void;

/** Returns a function that adds acts to the audit, and logs those that cannot be added. Also adds each change of rules. */
export function makeNoteAct(
  audit: Store['audit'],
  log: Log,
  clock: Clock,
  onRulesReload: OnRulesReload | undefined,
): NoteAct {
  const note: NoteAct = (act) =>
    audit.add(act).catch((err: unknown) => {
      log.error({ err, action: act.action, outcome: act.outcome }, 'an act could not be added to the audit');
    });
  onRulesReload?.((file) => void note({ action: 'reload-rules', outcome: 'done', detail: file }));
  return limitRefused(note, clock);
}

export type Observers = ReturnType<typeof makeObservers>;

export function makeObservers(store: Store, log: Log, version: string | undefined) {
  const journal = createJournal(store.keyed('receipts'), (err) =>
    log.warn({ err }, 'a timeline was not stored'),
  );
  const metrics = createMetrics(() => store.gauges(), version);
  const turnEvents = everyTurnEvents([logTurnEvents(log), metrics.turnEvents, journal.turnEvents], log);
  return { turnEvents, journal, metrics };
}
