import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';

/** Maximum number of requests kept for inspection; the oldest are dropped first. */
const CALLS_KEPT = 2_000;
/** Maximum depth of a body that is shown; a deeper one could overflow the stack. */
const DEPTH_SHOWN = 16;
const SECRET = /^(authorization|api-key|cookie)$|secret|token|signature|password/i;

export type CallLog = ReturnType<typeof createCallLog>;

/** Records the received requests with masked secrets (platform contract FIX-6). */
export function createCallLog(clock: Clock, enabled: () => boolean) {
  const calls: CallRecord[] = [];
  return {
    /** Returns the record of a new request, for the server to complete; undefined while inspection is off. */
    open: (request: IncomingMessage, url: URL, operation: string | undefined): CallRecord | undefined => {
      if (!enabled()) return undefined;
      const record: CallRecord = {
        at: new Date(clock.now()).toISOString(),
        method: request.method ?? '',
        path: url.pathname + maskQuery(url),
        operation: operation ?? null,
        headers: mask(request.headers),
        body: null,
        status: null,
        complete: false,
      };
      calls.push(record);
      if (calls.length > CALLS_KEPT) calls.shift();
      return record;
    },
    list: (): readonly unknown[] => calls,
    clear: (): void => {
      calls.length = 0;
    },
  };
}

interface CallRecord {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly headers: unknown;
  /** Body with masked secrets. */
  body: unknown;
  status: number | null;
  /** False until the answer has ended. Stays false if the caller disconnected before that. */
  complete: boolean;
}

function maskQuery(url: URL): string {
  const masked = new URLSearchParams(url.searchParams);
  for (const name of masked.keys()) if (SECRET.test(name)) masked.set(name, '***');
  return masked.size === 0 ? '' : `?${masked}`;
}

/** Masks secrets at every depth, because a password may be in an object of an array. */
export function mask(value: unknown, depth = DEPTH_SHOWN): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.map((item) => mask(item, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET.test(name) ? '***' : mask(member, depth - 1),
    ]),
  );
}
