/** The evidence of a live check: what was proven when, with measured figures, and without secrets, names and ids. */

import type { LiveCall, LiveChannel } from '../../kit/live.ts';
import type { ActResult } from './run.ts';

type CallFigures = ReturnType<typeof figuresOf>;
export type Evidence = ReturnType<typeof evidenceOf>;

export interface Head {
  readonly parley: string;
  readonly node: string;
  /** Day of the check in UTC. */
  readonly date: string;
  readonly checked: string;
  readonly way?: string;
  /** Calls of the bridge by method. */
  readonly calls?: Readonly<Record<string, CallFigures>>;
}

export function evidenceOf(head: Head, acts: readonly ActResult[]) {
  const count = (result: ActResult['result']) => acts.filter((act) => act.result === result).length;
  return { ...head, passed: count('passed'), failed: count('failed'), skipped: count('skipped'), acts };
}

export function callFigures(calls: LiveChannel['calls']): Readonly<Record<string, CallFigures>> {
  const methods = Map.groupBy(calls, ({ method }) => method);
  return Object.fromEntries(
    [...methods]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, each]) => [name, figuresOf(each)]),
  );
}

function figuresOf(calls: readonly LiveCall[]) {
  const times = calls.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const pauses = calls.flatMap(({ retryAfterMs }) =>
    retryAfterMs === undefined ? [] : [retryAfterMs / 1_000],
  );
  const refused = Object.groupBy(
    calls.flatMap(({ refused }) => refused ?? []),
    (code) => code,
  );
  return {
    calls: calls.length,
    medianMs: Math.round(times[Math.floor(times.length / 2)] ?? 0),
    slowestMs: Math.round(times.at(-1) ?? 0),
    /** Number of refusals by error code. */
    refused: Object.fromEntries(Object.entries(refused).map(([code, each]) => [code, each?.length ?? 0])),
    /** Longest pause in seconds that a refusal demanded. */
    ...(pauses.length > 0 && { longestRetryAfterS: Math.max(...pauses) }),
  };
}
