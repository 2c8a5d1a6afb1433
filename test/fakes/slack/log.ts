/** The log of the server. Times are milliseconds since the epoch on the fake's clock. */

import type { Json } from './shapes.ts';

export interface CallRecord {
  readonly id: number;
  /** Time at which the request's headers arrived; rate limits count from it. */
  readonly at: number;
  readonly method: string;
  readonly team?: string;
  readonly channel?: string;
  readonly args: Json;
  /** HTTP status; 0 if the connection was reset or no response was sent. */
  status: number;
  answer?: Json;
  /** Retry-After of a 429, in seconds. */
  retryAfter?: number | string;
  /** The kind of the planted fault that was applied. */
  fault?: string;
  /** Time of the response, from which the call's changes are visible; absent while the call runs. */
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
  /** Calls whose arguments do not match Slack's own types; tests assert that there are none. */
  readonly violations: Violation[];
  of(method: string): readonly CallRecord[];
  /**
   * Returns calls that were answered with this error or HTTP status. Without an argument, returns all refused calls.
   */
  failed(what?: string | number): readonly CallRecord[];
  clear(): void;
}

/** Logs a request outside the Web API: a file or a response URL. */
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
