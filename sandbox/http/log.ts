import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';

/** Maximum requests kept for inspection. When there are more, the oldest are dropped. */
const MAX_CALLS = 2_000;
/** Maximum depth to which a body is shown. Masking a deeper body could overflow the stack. */
const MAX_DEPTH = 16;
const SECRET = /^(authorization|api-key|cookie)$|secret|token|signature|password/i;

export type CallLog = ReturnType<typeof createCallLog>;

/** Records the requests that the sandbox receives, with secrets masked (platform contract FIX-6: inspection). */
export function createCallLog(clock: Clock, enabled: () => boolean) {
  const calls: CallRecord[] = [];
  return {
    /**
     * Returns the record of a new request; the server completes that record. Returns undefined while inspection is off.
     */
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
      if (calls.length > MAX_CALLS) calls.shift();
      return record;
    },
    list: (): readonly unknown[] => calls,
    clear: (): void => {
      calls.length = 0;
    },
  };
}

export interface CallRecord {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly headers: unknown;
  /** Body with masked secrets. */
  body: unknown;
  status: number | null;
  /** True once the response has ended; false if the caller disconnected before that. */
  complete: boolean;
}

function maskQuery(url: URL): string {
  const masked = new URLSearchParams(url.searchParams);
  for (const name of masked.keys()) if (SECRET.test(name)) masked.set(name, '***');
  return masked.size === 0 ? '' : `?${masked}`;
}

/** Masks secrets at every depth, because a password may be inside an array or an object. */
export function mask(value: unknown, depth = MAX_DEPTH): unknown {
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
