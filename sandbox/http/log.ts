import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import { JSON_TYPE, type Reply } from './reply.ts';

/** Requests kept for inspection; the oldest go first. */
const CALLS_KEPT = 2_000;
/** Levels of a body that are shown; deeper ones could overflow the stack. */
const DEPTH_SHOWN = 16;
const SECRET = /^(authorization|api-key|cookie)$|secret|token|signature|password/i;

interface CallRecord {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly headers: Record<string, string>;
  body: unknown;
  status: number | null;
  /** False while the answer runs and when the caller disconnected before its end. */
  complete: boolean;
}

export type CallLog = ReturnType<typeof createCallLog>;

/** The requests received, with secrets masked (platform contract FIX-6). */
export function createCallLog(clock: Clock, enabled: () => boolean) {
  const calls: CallRecord[] = [];
  return {
    open: (request: IncomingMessage, url: URL, operation: string | undefined) => {
      if (!enabled()) return undefined;
      const record: CallRecord = {
        at: new Date(clock.now()).toISOString(),
        method: request.method ?? '',
        path: url.pathname + maskQuery(url),
        operation: operation ?? null,
        headers: maskHeaders(request),
        body: null,
        status: null,
        complete: false,
      };
      calls.push(record);
      if (calls.length > CALLS_KEPT) calls.shift();
      return {
        body: (value: unknown): void => {
          record.body = mask(value, DEPTH_SHOWN);
        },
        answered: (status: number): void => {
          record.status = status;
        },
        closed: (complete: boolean): void => {
          record.complete = complete;
        },
      };
    },
    list: (): readonly unknown[] => calls,
    clear: (): void => {
      calls.length = 0;
    },
  };
}

export const callsReply = (calls: readonly unknown[]): Reply => ({
  status: 200,
  headers: { 'content-type': JSON_TYPE },
  body: JSON.stringify({ calls }),
});

function maskHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = SECRET.test(name) ? '***' : String(value);
  }
  return headers;
}

function maskQuery(url: URL): string {
  const masked = [...url.searchParams].map(([name, value]): [string, string] => [
    name,
    SECRET.test(name) ? '***' : value,
  ]);
  const text = new URLSearchParams(masked).toString();
  return text === '' ? '' : `?${text}`;
}

/** Masks at every depth: a password may lie in an object of an array. */
function mask(value: unknown, depth: number): unknown {
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
