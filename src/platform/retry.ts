import { BridgeError } from '../errors.ts';

/** Limits for repeating one call (platform contract GEN-18). */
export interface RetryRule {
  readonly tries: number;
  /**
   * A further attempt may start within this many milliseconds of the first attempt (fault F01). After HTTP 429,
   * `BUSY_WINDOW_MS` applies instead, unless `windowMs` is 0.
   */
  readonly windowMs: number;
}

/** Retry rules by kind of operation. */
export const RETRY = {
  read: { tries: 3, windowMs: 20_000 },
  chat: { tries: 3, windowMs: 20_000 },
  never: { tries: 1, windowMs: 0 },
} as const satisfies Record<string, RetryRule>;

/** Longest delay in a Retry-After header that is obeyed, in milliseconds (fault F15). */
const MAX_RETRY_AFTER_MS = 30_000;
/**
 * After HTTP 429, a further attempt may start within this many milliseconds of the first attempt: one longest delay for
 * each of three tries.
 */
export const BUSY_WINDOW_MS = 3 * MAX_RETRY_AFTER_MS;
const FIRST_DELAY_MS = 400;
const PASSING_STATUS = new Set([500, 502, 503, 504]);

export interface Tried {
  readonly rule: RetryRule;
  /** Number of attempts that have failed so far. */
  readonly tries: number;
  /** Milliseconds since the first attempt. */
  readonly elapsedMs: number;
  readonly random: () => number;
}

/** Returns the milliseconds to wait before the next attempt; undefined if the call must not be repeated. */
export function delayBefore(error: unknown, tried: Tried): number | undefined {
  if (!(error instanceof BridgeError) || !mayPass(error) || tried.tries >= tried.rule.tries) return undefined;
  const backoff = FIRST_DELAY_MS * 2 ** (tried.tries - 1) * (0.5 + tried.random());
  const busy = error.code === 'platform-busy';
  const delay = Math.round(Math.max(backoff, error.retryAfterMs ?? 0));
  const window = busy && tried.rule.windowMs > 0 ? BUSY_WINDOW_MS : tried.rule.windowMs;
  if (delay > MAX_RETRY_AFTER_MS || tried.elapsedMs + delay > window) return undefined;
  return delay;
}

/** True if repeating the call may succeed. Always false once any part of an answer has arrived. */
function mayPass(error: BridgeError): boolean {
  switch (error.code) {
    case 'platform-unreachable':
    case 'platform-busy':
      return true;
    case 'platform-server':
      return PASSING_STATUS.has(Number(error.facts.httpStatus));
    case 'platform-interrupted':
      return error.facts.bytes === 0;
    default:
      return false;
  }
}

/**
 * Returns the delay that a Retry-After header requests, converted from seconds or a date into milliseconds from now;
 * undefined if there is none.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2},? /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
