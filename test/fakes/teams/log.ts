/** What the servers saw. Times are milliseconds since the epoch on the fake's clock. */

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
  | 'unknown';

export interface CallRecord {
  readonly id: number;
  /** When the request's head arrived; limits count from here. */
  readonly at: number;
  readonly method: Method;
  readonly tenant?: string;
  /** The chat or channel, without `;messageid=`. */
  readonly conversation?: string;
  /** The thread's first message, where the address named one. */
  readonly root?: string;
  /** The message that was made or changed. */
  activityId?: string;
  /** The body of the request, or what its address says. */
  readonly asked: Json;
  /** HTTP status; 0 when the connection was reset or never answered. */
  status: number;
  answer?: Json;
  /** Seconds, with a 429. */
  retryAfter?: number | string;
  /** The kind of the planted fault that hit it. */
  fault?: string;
  /** When the answer was sent; absent while it is under way. What a call changes is visible from then on. */
  doneAt?: number;
  /** Whether the request carried a token. */
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
  /** What Microsoft would let pass but documents otherwise; a test asserts that there are none. */
  readonly violations: Violation[];
  begin(call: Omit<CallRecord, 'id' | 'status' | 'method'> & { readonly method: string }): CallRecord;
  of(...methods: Method[]): readonly CallRecord[];
  /** Answered with that HTTP status, or with that code; without either: any refusal. */
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
