/** Faults by method, place and count; each is decided when the request arrives. */

import type { Clock } from '../../../src/core/clock.ts';

export interface Fault {
  /**
   * rate: 429. status: an HTTP status, nothing done. gateway: does what was asked, and answers a status all the same.
   * html: 200 with a page. timeout: does nothing and never answers. slow: answers late.
   * reset: does what was asked, then resets the connection (F28). hang: does what was asked and never answers.
   * refuse: resets the connection and does nothing.
   */
  readonly kind: 'rate' | 'status' | 'gateway' | 'html' | 'timeout' | 'slow' | 'reset' | 'hang' | 'refuse';
  /** Methods of the log, or beginnings with a `*`; every call of the Bot Connector without it. */
  readonly method?: string | readonly string[];
  readonly tenant?: string;
  /** A chat or channel, without `;messageid=`. */
  readonly conversation?: string;
  /** Calls that say this do not fit. */
  readonly except?: string;
  /** Lets so many fitting calls pass first. */
  readonly after?: number;
  /** How many calls it hits; 1 unless `forMs` is given, then all of them. */
  readonly count?: number;
  /** Milliseconds from now. */
  readonly forMs?: number;
  /** 0 to 1. */
  readonly probability?: number;
  /** Seconds, for `rate`; any text, to send garbage; absent: no such header. */
  readonly retryAfter?: number | string;
  /** 412, 500, 502, 503, 504, 403, 404 and so on. */
  readonly status?: number;
  /** The error code; the documented one of the status without it. */
  readonly code?: string;
  readonly message?: string;
  /** Milliseconds, for `slow`. */
  readonly ms?: number;
}

export interface PlantedFault {
  readonly hits: number;
  remove(): void;
}

export interface Place {
  readonly method: string;
  readonly tenant?: string;
  readonly conversation?: string;
  /** The call's body. */
  readonly body?: string;
}

export interface Faults {
  plant(fault: Fault): PlantedFault;
  /** The fault that hits this call, if any; counts it. */
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

/** Services beside the Bot Connector, which are hit by name only. */
const BESIDE = ['token', 'identity', 'openid', 'keys', 'file', 'graph'];

function fits({ method: names, tenant, conversation, except }: Fault, place: Place): boolean {
  const wanted = typeof names === 'string' ? [names] : names;
  const named =
    wanted?.some((name) =>
      name.endsWith('*') ? place.method.startsWith(name.slice(0, -1)) : place.method === name,
    ) ?? !BESIDE.includes(place.method);
  return (
    named &&
    (tenant === undefined || tenant === place.tenant) &&
    (conversation === undefined || conversation === place.conversation) &&
    (except === undefined || place.body?.includes(except) !== true)
  );
}
