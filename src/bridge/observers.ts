/** Combines traces, log, metrics and receipts into the one `TurnEvents` that the core records to. */

import { processEnvironment } from '../config/environment.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { NoteAct } from '../core/stores/audit.ts';
import { createJournal } from '../observe/journal.ts';
import { everyTurnEvents, logTurnEvents } from '../observe/log.ts';
import { createMetrics } from '../observe/metrics.ts';
import { createTraces } from '../observe/traces.ts';
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

export function makeObservers(store: Store, log: Log, clock: Clock, version: string | undefined) {
  const journal = createJournal(store.keyed('receipts'), (err) =>
    log.warn({ err }, 'a timeline was not stored'),
  );
  const metrics = createMetrics(() => store.gauges(), version);
  const optsIn = processEnvironment().OTEL_SEMCONV_STABILITY_OPT_IN?.split(',') ?? [];
  const isLatest = optsIn.some((each) => each.trim() === 'gen_ai_latest_experimental');
  const traces = createTraces(clock, version, isLatest);
  // The traces come first, because the log names the trace of a turn.
  const logged = logTurnEvents(log, traces.idOf);
  const all = [traces.turnEvents, logged, metrics.turnEvents, journal.turnEvents];
  return { turnEvents: everyTurnEvents(all, log), journal, metrics, traces };
}
