/**
 * Planted faults, selected by method, tenant, conversation and number of calls. The fake chooses the fault of a
 * request when the request arrives.
 */

import type { Clock } from '../../../src/core/clock.ts';

export interface Fault {
  /**
   * rate: responds with 429. status: responds with an error status, without handling the call. gateway: handles the
   * call, but responds with an error status. html: responds with 200 and a web page. timeout: neither handles the
   * call nor responds. slow: responds late. reset: handles the call, then resets the connection (F28: the caller
   * cannot know the result). hang: handles the call and never responds. refuse: resets the connection without
   * handling the call.
   */
  readonly kind: 'rate' | 'status' | 'gateway' | 'html' | 'timeout' | 'slow' | 'reset' | 'hang' | 'refuse';
  /** Methods as in the log, or prefixes that end with `*`; default: all calls of the Bot Connector. */
  readonly method?: string | readonly string[];
  readonly tenant?: string;
  /** A chat or channel, without `;messageid=`. */
  readonly conversation?: string;
  /** A thread of a channel: the id of its first message. */
  readonly root?: string;
  /** Excludes calls whose body contains this text. */
  readonly except?: string;
  /** Hits only calls whose body contains this text. */
  readonly only?: string;
  /** Number of matching calls that succeed before the first fault. */
  readonly after?: number;
  /** Number of calls with the fault. Default: 1, or all calls while the fault is active if `forMs` is set. */
  readonly count?: number;
  /** Milliseconds for which the fault is active, counted from the call of `plant`. */
  readonly forMs?: number;
  /** Probability of the fault for a matching call, 0 to 1. */
  readonly probability?: number;
  /** Retry-After of `rate`, in seconds, or any invalid text; absent: no header. */
  readonly retryAfter?: number | string;
  /** HTTP status, such as 412, 500, 502, 503, 504, 403 or 404. */
  readonly status?: number;
  /** Error code; default: the documented code for the status. */
  readonly code?: string;
  readonly message?: string;
  /** Whole body of the response in place of `code` and `message`, such as a web page. */
  readonly body?: string;
  /** Delay of `slow`, in milliseconds. */
  readonly ms?: number;
}

/**
 * Refusals that Teams sends now and then for calls that it accepts a moment later. 403: msteams-docs issue 7613 (a POST
 * or a PUT every few messages); after a deletion, PUT gets the same body (BotFramework-Services issue 269). 404:
 * BotFramework-Services issue 349. ConversationNotFound: botbuilder-js issue 4722, msteams-docs issue 9425. geo:
 * BotFramework-Services issue 339. region: botframework-sdk issue 6184, botbuilder-js issue 3280.
 */
export const sporadic = {
  403: { kind: 'status', status: 403, code: 'ServiceError', message: 'Unknown' },
  404: { kind: 'status', status: 404, code: 'ServiceError', message: 'Unknown' },
  missing: { kind: 'status', status: 404, code: 'ConversationNotFound', message: 'Conversation not found.' },
  geo: {
    kind: 'status',
    status: 400,
    code: 'BadArgument',
    message: 'Incoming request was redirected to the wrong geo! Current geo: EMEA, Target geo: EUDB',
  },
  region: { kind: 'status', status: 403, code: 'BadArgument', message: 'User is from different region' },
} as const satisfies Record<string, Fault>;

/**
 * Codes that close a conversation: "Status codes from bot conversational APIs", and "Understand who blocked, muted, or
 * uninstalled a bot" on the page on proactive messages.
 */
export const closingCodes = [
  'BotDisabledByAdmin',
  'BotNotInConversationRoster',
  'ConversationBlockedByUser',
  'ForbiddenOperationException',
  'MessageWritesBlocked',
] as const;

export interface PlantedFault {
  readonly hits: number;
  remove(): void;
}

export interface Place {
  readonly method: string;
  readonly tenant?: string;
  readonly conversation?: string;
  readonly root?: string;
  /** The call's body. */
  readonly body?: string;
}

export interface Faults {
  plant(fault: Fault): PlantedFault;
  /** Returns and counts the fault that hits this call, if any. */
  hit(place: Place): Fault | undefined;
  clear(): void;
}

interface Planted {
  readonly fault: Fault;
  readonly until: number;
  passed: number;
  hits: number;
}

export function createFaults(clock: Clock, random: () => number): Faults {
  const planted = new Set<Planted>();
  return {
    plant(fault) {
      const until = fault.forMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + fault.forMs;
      const each: Planted = { fault, until, passed: 0, hits: 0 };
      planted.add(each);
      return {
        get hits() {
          return each.hits;
        },
        remove: () => void planted.delete(each),
      };
    },
    hit(place) {
      for (const each of planted) {
        if (!fits(each.fault, place) || clock.now() > each.until) continue;
        each.passed += 1;
        if (each.passed <= (each.fault.after ?? 0) || each.hits >= most(each.fault)) continue;
        if (random() >= (each.fault.probability ?? 1)) continue;
        each.hits += 1;
        return each.fault;
      }
      return undefined;
    },
    clear: () => planted.clear(),
  };
}

const most = ({ count, forMs }: Fault): number =>
  count ?? (forMs === undefined ? 1 : Number.POSITIVE_INFINITY);

/** Names for services other than the Bot Connector. A fault without `method` does not hit them. */
const BESIDE = ['token', 'identity', 'openid', 'keys', 'file', 'graph'];

function fits({ method: names, tenant, conversation, root, except, only }: Fault, place: Place): boolean {
  const wanted = typeof names === 'string' ? [names] : names;
  const named =
    wanted?.some((name) =>
      name.endsWith('*') ? place.method.startsWith(name.slice(0, -1)) : place.method === name,
    ) ?? !BESIDE.includes(place.method);
  return (
    named &&
    (tenant === undefined || tenant === place.tenant) &&
    (conversation === undefined || conversation === place.conversation) &&
    (root === undefined || root === place.root) &&
    (only === undefined || place.body?.includes(only) === true) &&
    (except === undefined || place.body?.includes(except) !== true)
  );
}
