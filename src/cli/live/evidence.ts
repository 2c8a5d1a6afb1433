/** The evidence of a live check: what was proven when, with measured figures, and without secrets, names and ids. */

import type { LiveCall, LiveChannel } from '../../kit/live.ts';
import type { ActResult } from './run.ts';

interface CallFigures {
  readonly calls: number;
  readonly medianMs: number;
  readonly slowestMs: number;
  /** Number of refusals by error code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Longest pause in seconds that a refusal demanded. */
  readonly longestRetryAfterS?: number;
}

export interface Evidence {
  readonly parley: string;
  readonly node: string;
  /** Day of the check in UTC. */
  readonly date: string;
  readonly checked: string;
  readonly way?: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly acts: readonly ActResult[];
  /** Calls of the bridge by method. */
  readonly calls?: Readonly<Record<string, CallFigures>>;
}

type Head = Pick<Evidence, 'parley' | 'node' | 'date' | 'checked' | 'way' | 'calls'>;

export function evidenceOf(head: Head, acts: readonly ActResult[]): Evidence {
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

function figuresOf(calls: readonly LiveCall[]): CallFigures {
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
    refused: Object.fromEntries(Object.entries(refused).map(([code, each]) => [code, each?.length ?? 0])),
    ...(pauses.length > 0 && { longestRetryAfterS: Math.max(...pauses) }),
  };
}
