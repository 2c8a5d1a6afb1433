/** Makes single calls of Slack's Web API and translates the responses. Does not repeat or queue calls. */

import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { cappedFetch, isPlain, MAX_ANSWER_BYTES, orAborted, type Plain } from '../../../src/kit/ladder.ts';
import type { Log } from '../../../src/kit.ts';
import { codeOf, type Meaning, meaningOf, UNREADABLE } from './errors.ts';
import { sdkLog } from './sdk-log.ts';
import type { Workspaces } from './workspace.ts';

export type Answer =
  | { readonly kind: 'done'; readonly body: Plain }
  | {
      readonly kind: 'refused';
      readonly why: Exclude<Meaning, 'unknown' | 'done'>;
      /** Slack's error code. */
      readonly error: string;
      readonly retryAfterMs?: number;
    }
  /**
   * It is uncertain whether the call took effect. `told` is set if `error` is Slack's own error code. If Slack cannot be
   * reached, `reason` says why.
   */
  | { readonly kind: 'unknown'; readonly error: string; readonly told?: true; readonly reason?: string };

/** Makes one call. Rejects only if the signal aborts. */
export type Caller = (method: string, args: Plain, signal: AbortSignal, token?: string) => Promise<Answer>;

/**
 * Maximum duration of one call, in milliseconds; by default, the SDK waits without limit. Slack usually answers within
 * 1 s. After a timeout, a look-up finds out whether the call took effect.
 */
export const CALL_MS = 10_000;
/** Maximum number of clients in the cache, one per token. If the cache drops a client, a new one is quickly created. */
const MAX_CLIENTS = 500;

/** Options for all clients of Slack's SDKs. */
export const webOptions = (apiUrl: string, callMs = CALL_MS): WebClientOptions => ({
  slackApiUrl: apiUrl,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  fetch: cappedFetch(MAX_ANSWER_BYTES, callMs),
  allowAbsoluteUrls: false,
});

/** @param callMs maximum duration of one call, in milliseconds */
export function createCaller(apiUrl: string, log: Log, callMs?: number): Caller {
  const options = { ...webOptions(apiUrl, callMs), logger: sdkLog(log, 'web api') };
  // Each token has its own client, because a client that receives a 429 delays all its calls.
  const clients = new LRUCache<string, WebClient>({
    max: MAX_CLIENTS,
    memoMethod: (token) => new WebClient(token, options),
  });
  return async (method, args, signal, token = '') => {
    signal.throwIfAborted();
    const calling = clients.memo(token).apiCall(method, { ...args });
    const answer = await orAborted(calling, signal).then(accepted, (thrown: unknown) =>
      refused(method, thrown),
    );
    signal.throwIfAborted();
    return answer;
  };
}

export interface Sender {
  /** Makes one call. Rejects only if the signal aborts. */
  call(tenant: string, method: string, args: Plain, signal: AbortSignal): Promise<Answer>;
}

/** Returns a sender that makes each call with the token of the tenant's workspace. */
export function createSender(callWith: Caller, workspaces: Workspaces): Sender {
  return {
    async call(tenant, method, args, signal) {
      signal.throwIfAborted();
      // The store may not know the workspace yet, or may fail. The call was not made, so it is safe to repeat.
      const workspace = await workspaces.ofTenant(tenant).catch(() => 'unknown' as const);
      if (workspace === 'unknown') return { kind: 'unknown', error: 'workspace_unknown' };
      if (workspace === undefined) return { kind: 'refused', why: 'gone', error: 'not_installed' };
      const answer = await callWith(method, args, signal, workspace.token);
      if (answer.kind !== 'refused' || answer.why !== 'off') return answer;
      // The refusal may be a mistake of Slack's. The call had no effect, so the caller may repeat it.
      if (await workspaces.disable(workspace)) return { kind: 'unknown', error: 'token_refused' };
      return { kind: 'refused', why: 'gone', error: 'not_installed' };
    },
  };
}

function accepted(body: unknown): Answer {
  return isPlain(body) ? { kind: 'done', body } : { kind: 'unknown', error: 'no_answer' };
}

const SECOND_MS = 1_000;
/** Pause after a 429 without Retry-After, in milliseconds. */
const RATE_PAUSE_MS = 2_000;

function refused(method: string, thrown: unknown): Answer {
  if (thrown instanceof WebAPIRateLimitedError) {
    return rate(Number.isFinite(thrown.retryAfter) ? thrown.retryAfter * SECOND_MS : RATE_PAUSE_MS);
  }
  if (thrown instanceof WebAPIPlatformError) return byCode(method, codeOf(thrown.data.error));
  if (thrown instanceof WebAPIHTTPError) return byStatus(thrown.statusCode);
  // For a 429 with an unreadable Retry-After, the SDK throws a plain `Error`.
  if (thrown instanceof Error && thrown.message.includes('retry-after')) return rate(RATE_PAUSE_MS);
  return { kind: 'unknown', error: 'unreachable', reason: reasonOf(thrown) };
}

const NOT_FOUND = 404;

/** Translates an HTTP status. 404 means that Slack does not have the method, so the call had no effect. */
function byStatus(status: number): Answer {
  const error = `http_${status}`;
  return status === NOT_FOUND ? { kind: 'refused', why: 'unsupported', error } : { kind: 'unknown', error };
}

const rate = (retryAfterMs: number, error = 'ratelimited'): Answer => ({
  kind: 'refused',
  why: 'rate',
  error,
  retryAfterMs,
});

function byCode(method: string, error: string): Answer {
  if (error === UNREADABLE) return { kind: 'unknown', error };
  const why = meaningOf(method, error);
  if (why === 'done') return { kind: 'done', body: {} };
  if (why === 'unknown') return { kind: 'unknown', error, told: true };
  return why === 'rate' ? rate(RATE_PAUSE_MS, error) : { kind: 'refused', why, error };
}

/** Maximum UTF-16 units of a logged reason. */
const MAX_REASON_CHARS = 200;

/** Returns the first line of the innermost error's message, because the outer errors only say that a request failed. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'for an unknown reason';
  if (thrown.cause instanceof Error) return reasonOf(thrown.cause);
  const code = 'code' in thrown ? String(thrown.code) : thrown.name;
  const [line = ''] = thrown.message.split('\n', 1);
  return (line === '' ? code : line).slice(0, MAX_REASON_CHARS).toWellFormed();
}
