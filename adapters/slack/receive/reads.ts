/** Calls that only read from Slack. The bridge needs their results to understand a message. */

import { WebAPIPlatformError, WebAPIRateLimitedError, WebClient } from '@slack/web-api';
import { cappedFetch } from '../../../src/kit/capped-fetch.ts';
import { isPlain, type Plain } from '../../../src/kit/json.ts';
import { type AdapterHost, BridgeError, type SidePermit } from '../../../src/kit.ts';
import { codeOf } from '../api/errors.ts';
import { type MovedRooms, NO_ROOM } from '../api/moved-rooms.ts';
import { permitFor } from '../api/permits.ts';
import { sdkLog } from '../api/sdk-log.ts';
import { reasonOf } from './reach.ts';

/** Maximum duration of a call, in milliseconds. Without it, the SDK waits without limit. */
const CALL_MS = 10_000;
/** Maximum pause that Slack may demand after a 429, in milliseconds. If it demands a longer one, the call fails. */
const BUSY_MS = 15_000;
/** Maximum attempts for one call. */
const TRIES = 3;
const FIRST_PAUSE_MS = 500;

/** The token of a call, and the tenant whose rate limits apply to it. */
export interface Reader {
  readonly token: string;
  /** Absent while the tenant is unknown; such a call needs no permit. */
  readonly tenant?: string;
}

export interface Reads {
  /**
   * Calls a method that only reads. Waits for a permit from the rate limits, and tries again while Slack is busy or
   * cannot be reached. Rejects with `channel-unavailable`, whose fact `error` contains Slack's error code.
   */
  call(reader: Reader, method: string, args: Plain, signal?: AbortSignal): Promise<Plain>;
}

interface ReadsDeps {
  readonly apiUrl: string;
  readonly host: Pick<AdapterHost, 'permit' | 'permitAtOnce' | 'clock' | 'log'>;
  /**
   * Resolves with true if Slack's error code refuses the token, but a check shows that the token works. Absent for the
   * calls that check tokens.
   */
  isMistaken?(reader: Reader, error: string): Promise<boolean>;
  readonly moved?: MovedRooms;
}

/** Uses one client for all workspaces. Each call passes its own token, and no call waits for another. */
export function createReads({ apiUrl, host, isMistaken, moved }: ReadsDeps): Reads {
  const client = new WebClient(undefined, {
    slackApiUrl: apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: CALL_MS,
    fetch: cappedFetch(),
    logger: sdkLog(host.log, 'web api'),
  });
  const tried = async ({ token, tenant }: Reader, method: string, args: Plain, signal: AbortSignal) => {
    const permit = tenant === undefined ? UNLIMITED : await permitFor({ tenant, method, args }, host, signal);
    if (permit === undefined) throw busy(method);
    let refusedMs: number | undefined;
    try {
      const answer: unknown = await client.apiCall(method, { ...args, token });
      return isPlain(answer) ? answer : {};
    } catch (thrown) {
      if (thrown instanceof WebAPIRateLimitedError && Number.isFinite(thrown.retryAfter))
        refusedMs = thrown.retryAfter * 1_000;
      throw thrown;
    } finally {
      permit.answered(refusedMs);
    }
  };
  /** Resolves with the arguments for another attempt after Slack's refusal; with undefined if none would help. */
  const again = async (thrown: unknown, reader: Reader, args: Plain): Promise<Plain | undefined> => {
    if (!(thrown instanceof WebAPIPlatformError)) return undefined;
    const error = codeOf(thrown.data.error);
    const { tenant } = reader;
    if (await isMistaken?.(reader, error)) return args;
    return error === NO_ROOM && tenant !== undefined ? moved?.newer(tenant, args) : undefined;
  };
  return {
    async call(reader, method, given, signal = new AbortController().signal) {
      const { tenant } = reader;
      let args = tenant === undefined ? given : (moved?.current(tenant, given) ?? given);
      for (let tries = 1; ; tries++) {
        signal.throwIfAborted();
        try {
          return await tried(reader, method, args, signal);
        } catch (thrown) {
          if (thrown instanceof BridgeError) throw thrown;
          signal.throwIfAborted();
          const pause = pauseAfter(thrown, tries);
          const next = tries < TRIES ? await again(thrown, reader, given) : undefined;
          if (pause !== undefined) await host.clock.wait(pause, signal);
          else if (next === undefined) throw refused(method, thrown);
          args = next ?? args;
        }
      }
    },
  };
}

const UNLIMITED: SidePermit = { answered: () => undefined };

const busy = (method: string): BridgeError =>
  new BridgeError('channel-unavailable', `Slack currently rejects ${method} from this workspace.`, {
    facts: { method, error: 'ratelimited' },
  });

/** Returns the milliseconds until the next attempt; undefined if another attempt would not help. */
function pauseAfter(thrown: unknown, tried: number): number | undefined {
  if (thrown instanceof WebAPIPlatformError || tried >= TRIES) return undefined;
  if (!(thrown instanceof WebAPIRateLimitedError)) return FIRST_PAUSE_MS * 2 ** (tried - 1);
  const ms = thrown.retryAfter * 1000;
  return ms <= BUSY_MS ? ms : undefined;
}

function refused(method: string, thrown: unknown): BridgeError {
  if (thrown instanceof WebAPIPlatformError) {
    const error = codeOf(thrown.data.error);
    return new BridgeError('channel-unavailable', `Slack refused ${method}: ${error}`, {
      facts: { method, error },
    });
  }
  const message = `Slack did not respond to ${method}: ${reasonOf(thrown)}`;
  return new BridgeError('channel-unavailable', message, {
    cause: thrown,
    facts: { method, error: 'unreachable' },
  });
}
