/** What the server saw. Times are milliseconds since the epoch on the fake's clock. */

import type { Json } from './shapes.ts';

export interface CallRecord {
  readonly id: number;
  /** When the request's head arrived; a slot of a limit is counted from here. */
  readonly at: number;
  readonly method: string;
  readonly team?: string;
  readonly channel?: string;
  readonly args: Json;
  /** HTTP status; 0 when the connection was reset or never answered. */
  status: number;
  answer?: Json;
  /** Seconds, with a 429. */
  retryAfter?: number | string;
  /** The kind of the planted fault that hit it. */
  fault?: string;
  /** When the answer was sent; absent while it is under way. What a call changes is visible from then on. */
  doneAt?: number;
  /** Bytes of the request's body. */
  readonly size: number;
}

export interface Violation {
  readonly method: string;
  readonly messages: readonly string[];
  readonly args: Json;
}

export interface Log {
  readonly calls: CallRecord[];
  /** Calls whose arguments do not fit Slack's own types; a test asserts that there are none. */
  readonly violations: Violation[];
  of(method: string): readonly CallRecord[];
  /** Answered with that error, or with that HTTP status. */
  failed(what?: string | number): readonly CallRecord[];
  clear(): void;
}

/** A request beside the Web API, answered as it came: files and response addresses. */
export function note(log: Log, call: Omit<CallRecord, 'id' | 'doneAt'>, doneAt: number): void {
  log.calls.push({ ...call, id: log.calls.length + 1, doneAt });
}

export function createLog(): Log {
  const calls: CallRecord[] = [];
  const violations: Violation[] = [];
  return {
    calls,
    violations,
    of: (method) => calls.filter((call) => call.method === method),
    failed: (what) =>
      calls.filter(({ answer, status }) => {
        const failure = status !== 200 || answer?.ok !== true;
        return failure && (what === undefined || what === status || what === answer?.error);
      }),
    clear: () => {
      calls.length = 0;
      violations.length = 0;
    },
  };
}
