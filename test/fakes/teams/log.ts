/** Requests that the servers received. Times are milliseconds since the epoch on the fake's clock. */

import type { Json } from './read.ts';

export type Method =
  | 'send'
  | 'stream'
  | 'final'
  | 'typing'
  | 'update'
  | 'delete'
  | 'create'
  | 'member'
  | 'members'
  | 'team'
  | 'channels'
  | 'view'
  | 'file'
  | 'graph'
  | 'token'
  | 'identity'
  | 'openid'
  | 'keys'
  | 'directory'
  | 'authorize'
  | 'unknown';

export interface CallRecord {
  readonly id: number;
  /** Time at which the request's headers arrived; limits count from it. */
  readonly at: number;
  readonly method: Method;
  readonly tenant?: string;
  /** The chat or channel, without `;messageid=`. */
  readonly conversation?: string;
  /** The thread's first message, if the address contains one. */
  readonly root?: string;
  /** The message that the call created or changed. */
  activityId?: string;
  /** Body of the request, or the parameters in its address if it has no body. */
  readonly asked: Json;
  /** HTTP status; 0 if the connection was reset or got no response. */
  status: number;
  answer?: Json;
  /** Retry-After of a 429, in seconds. */
  retryAfter?: number | string;
  /** Kind of the planted fault that hit the call. */
  fault?: string;
  /** Time of the response, from which the call's changes are visible; absent while the call runs. */
  doneAt?: number;
  /** True if the request had a token. */
  readonly bearer?: boolean;
  /** Bytes of the request's body. */
  readonly size: number;
}

export interface Violation {
  readonly method: string;
  readonly messages: readonly string[];
  readonly asked: Json;
}

export interface Log {
  readonly calls: CallRecord[];
  /** Calls that contradict Microsoft's documentation although Microsoft would accept them; tests expect none. */
  readonly violations: Violation[];
  begin(call: Omit<CallRecord, 'id' | 'status' | 'method'> & { readonly method: string }): CallRecord;
  of(...methods: Method[]): readonly CallRecord[];
  /** Returns refusals with this HTTP status or code. Without an argument, returns all refusals. */
  failed(what?: string | number): readonly CallRecord[];
  clear(): void;
}

export function createLog(): Log {
  const calls: CallRecord[] = [];
  const violations: Violation[] = [];
  let ids = 0;
  return {
    calls,
    violations,
    begin(call) {
      ids += 1;
      const record: CallRecord = { ...call, method: call.method as Method, id: ids, status: 0 };
      calls.push(record);
      return record;
    },
    of: (...methods) => calls.filter(({ method }) => methods.includes(method)),
    failed: (what) =>
      calls.filter(({ status, answer }) => {
        const code = codeOf(answer);
        if (what === undefined) return status >= 300 || code !== undefined;
        return what === status || what === code;
      }),
    clear: () => {
      calls.length = 0;
      violations.length = 0;
    },
  };
}

export function codeOf(answer: Json | undefined): string | undefined {
  const error = answer?.error as { readonly code?: string } | undefined;
  return typeof error === 'object' ? error.code : undefined;
}
