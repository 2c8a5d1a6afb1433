/** Judges a run: finds its breaches, and makes the table of its faults. */

import type { Breach } from '../../fakes/history/breach.ts';
import { check } from '../../fakes/history/check.ts';
import type { SavedRun } from './save.ts';
import { printedTable, type Row, tableOf } from './table.ts';

export interface Verdict {
  readonly breaches: readonly Breach[];
  readonly rows: readonly Row[];
}

export function judge({ history }: SavedRun): Verdict {
  const breaches = check(history);
  return { breaches, rows: tableOf(history, breaches) };
}

const MOST_BREACHES = 40;

export function printed({ header, history }: SavedRun, { breaches, rows }: Verdict): string {
  const { engine, replicas, seed, server } = header;
  const further = breaches.length - MOST_BREACHES;
  return [
    printedTable(rows),
    '',
    ...breaches.slice(0, MOST_BREACHES).map(({ rule, where, what }) => `${rule}: ${where}: ${what}`),
    ...(further > 0 ? [`and ${further} more violations`] : []),
    `${history.questions.length} questions, ${server === undefined ? '' : `XMPP on ${server}, `}engine ${engine}, replicas ${replicas}, seed ${seed}: ${
      breaches.length === 0 ? 'the delivery contract held' : `${breaches.length} violations`
    }`,
  ].join('\n');
}
