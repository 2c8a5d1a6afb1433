/** Describes how a thread's last answer was made, for `why`. Pure. */

import type { TurnId } from '../ids.ts';
import type { CoreEvent } from '../turn-events.ts';
import { words } from '../words.ts';

export interface LastAnswer {
  readonly turn: TurnId;
  /** The events of the answer's turn, oldest first; empty if they are no longer stored. */
  readonly events: readonly CoreEvent[];
}

const SECOND_MS = 1_000;
/** Times below this limit, in milliseconds, would be shown as "0.0 s". */
const MIN_SHOWN_MS = 50;

export function explain(answer: LastAnswer | undefined): string {
  if (answer === undefined) return words.noAnswerYet;
  const { events, turn } = answer;
  if (events.length === 0) return words.receiptGone;
  const lines = [...identity(events), ...times(events), ...work(events)];
  return [words.receiptOf, '', ...lines.map((line) => `- ${line}`), '', words.reference(turn)].join('\n');
}

const last = (events: readonly CoreEvent[], name: CoreEvent['name']) =>
  events.findLast((each) => each.name === name);
const count = (events: readonly CoreEvent[], name: CoreEvent['name']) =>
  events.filter((each) => each.name === name).length;

function identity(events: readonly CoreEvent[]): readonly string[] {
  const routed = last(events, 'routed')?.detail;
  const asking = last(events, 'asking')?.detail;
  return [
    ...(routed ? [words.answeredBy(String(routed.agent), accountOf(routed))] : []),
    ...(asking ? [asking.session === true ? words.wentOn : words.beganAnew] : []),
    ...(Number(asking?.images ?? 0) > 0 ? [words.sawImages(Number(asking?.images))] : []),
  ];
}

function accountOf({ account, asker }: CoreEvent['detail']): string {
  if (asker === true) return words.askersAccount;
  return account === undefined ? words.ownAccount : words.platformAccount(String(account));
}

function times(events: readonly CoreEvent[]): readonly string[] {
  const start = events[0]?.at ?? 0;
  const waited = last(events, 'claimed')?.detail.waitedMs;
  const first = last(events, 'answering')?.at;
  const settled = last(events, 'settled');
  return [
    ...(typeof waited === 'number'
      ? [waited < MIN_SHOWN_MS ? words.atOnce : words.waited(seconds(waited))]
      : []),
    ...(first === undefined ? [] : [words.firstWords(seconds(first - start))]),
    ...(settled === undefined
      ? []
      : [words.whole(seconds(settled.at - start), Number(settled.detail.chars ?? 0))]),
  ];
}

function work(events: readonly CoreEvent[]): readonly string[] {
  const sources = Number(last(events, 'sources')?.detail.count ?? 0);
  const claims = count(events, 'claimed');
  return [
    words.calls(count(events, 'move')),
    words.sourceCount(sources),
    ...(claims > 1 ? [words.attempts(claims)] : []),
    ...(count(events, 'trouble') > 0 ? [words.troubles(count(events, 'trouble'))] : []),
  ];
}

function seconds(given: number): string {
  const ms = Math.max(0, given);
  return ms < MIN_SHOWN_MS ? `${ms} ms` : `${(ms / SECOND_MS).toFixed(1)} s`;
}
