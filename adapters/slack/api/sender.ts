/** Makes single calls of Slack's Web API and translates the responses. Does not repeat or queue calls. */

import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebClient,
  type WebClientOptions,
} from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { cappedFetch } from '../../../src/kit/capped-fetch.ts';
import { isPlain, type Plain } from '../../../src/kit/json.ts';
import { type Log, orAborted } from '../../../src/kit.ts';
import { codeOf, type Meaning, meaningOf, UNREADABLE } from './errors.ts';
import { sdkLog } from './sdk-log.ts';
import type { Workspaces } from './workspace.ts';

export type Answer =
  | { readonly kind: 'done'; readonly body: Plain }
  | {
      readonly kind: 'refused';
      readonly why: Exclude<Meaning, 'unknown' | 'off' | 'done'>;
      /** Slack's error code. */
      readonly error: string;
      readonly retryAfterMs?: number;
    }
  /** It is uncertain whether the call took effect. `told` is set if `error` is Slack's own error code. */
  | { readonly kind: 'unknown'; readonly error: string; readonly told?: true };

export interface Sender {
  /** Makes one call. Rejects only if the signal aborts. */
  call(tenant: string, method: string, args: Plain, signal: AbortSignal): Promise<Answer>;
}

interface SenderDeps {
  readonly apiUrl: string;
  readonly workspaces: Workspaces;
  readonly log: Log;
  /** Maximum duration of one call, in milliseconds. */
  readonly callMs?: number;
}

/**
 * Default for `callMs`. Slack usually answers within 1 s. After a timeout, a look-up finds out whether the call took
 * effect.
 */
const CALL_MS = 10_000;
/** Maximum number of clients in the cache, one per token. If the cache drops a client, a new one is quickly created. */
const MAX_CLIENTS = 500;

export function createSender({ apiUrl, workspaces, log, callMs = CALL_MS }: SenderDeps): Sender {
  const options: WebClientOptions = {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: callMs,
    fetch: cappedFetch(),
    allowAbsoluteUrls: false,
    logger: sdkLog(log, 'web api'),
  };
  // Each token has its own client, because a client that receives a 429 delays all its calls.
  const clients = new LRUCache<string, WebClient>({
    max: MAX_CLIENTS,
    memoMethod: (token) => new WebClient(token, options),
  });
  return {
    async call(tenant, method, args, signal) {
      signal.throwIfAborted();
      // The store may not know the workspace yet, or may fail. The call was not made, so it is safe to repeat.
      const workspace = await workspaces.ofTenant(tenant).catch(() => 'unknown' as const);
      if (workspace === 'unknown') return { kind: 'unknown', error: 'workspace_unknown' };
      if (workspace === undefined) return { kind: 'refused', why: 'gone', error: 'not_installed' };
      const calling = clients.memo(workspace.token).apiCall(method, { ...args });
      const answer = await orAborted(calling, signal).then(accepted, (thrown: unknown) =>
        refused(method, thrown),
      );
      signal.throwIfAborted();
      if (answer !== 'off') return answer;
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

function refused(method: string, thrown: unknown): Answer | 'off' {
  if (thrown instanceof WebAPIRateLimitedError) {
    return rate(Number.isFinite(thrown.retryAfter) ? thrown.retryAfter * SECOND_MS : RATE_PAUSE_MS);
  }
  if (thrown instanceof WebAPIPlatformError) return byCode(method, codeOf(thrown.data.error));
  if (thrown instanceof WebAPIHTTPError) return byStatus(thrown.statusCode);
  // For a 429 with an unreadable Retry-After, the SDK throws a plain `Error`.
  if (thrown instanceof Error && thrown.message.includes('retry-after')) return rate(RATE_PAUSE_MS);
  return { kind: 'unknown', error: 'unreachable' };
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

function byCode(method: string, error: string): Answer | 'off' {
  if (error === UNREADABLE) return { kind: 'unknown', error };
  const why = meaningOf(method, error);
  if (why === 'off') return 'off';
  if (why === 'done') return { kind: 'done', body: {} };
  if (why === 'unknown') return { kind: 'unknown', error, told: true };
  return why === 'rate' ? rate(RATE_PAUSE_MS, error) : { kind: 'refused', why, error };
}
