/**
 * Planted faults, selected by method, workspace, channel and number of calls. The fake chooses the fault of a request
 * when the request arrives.
 */

import type { Clock } from '../../../src/core/clock.ts';

export interface Fault {
  /**
   * rate: 429. status: an HTTP status. error: `{ ok: false, error }`. html: 200 with a web page. timeout: ignores the
   * call and never answers. slow: answers late. reset: performs the call, then resets the connection (F28: the caller
   * cannot know the result). hang: performs the call and never answers. refuse: resets the connection without
   * performing the call.
   */
  readonly kind: 'rate' | 'status' | 'error' | 'html' | 'timeout' | 'slow' | 'reset' | 'hang' | 'refuse';
  /** A method, or a prefix that ends with `*`; absent: every method. */
  readonly method?: string;
  readonly team?: string;
  readonly channel?: string;
  /** Number of matching calls that succeed before the first fault. */
  readonly after?: number;
  /** Number of calls with the fault. Default: 1, or all calls while the fault is active if `forMs` is set. */
  readonly count?: number;
  /** Milliseconds for which the fault is active, counted from the first matching call. */
  readonly forMs?: number;
  /** Probability of the fault for a matching call, 0 to 1. */
  readonly probability?: number;
  /** Retry-After of `rate`: a number of seconds; or any text, which makes the header invalid. */
  readonly retryAfter?: number | string;
  readonly status?: number;
  /** Delay of `slow`, in milliseconds. */
  readonly ms?: number;
  readonly error?: string;
}

export interface PlantedFault {
  readonly hits: number;
  remove(): void;
}

export interface Faults {
  plant(fault: Fault): PlantedFault;
  /** Returns the fault of this call, if any, and counts it. */
  hit(method: string, team: string | undefined, channel: string | undefined): Fault | undefined;
  clear(): void;
}

interface Planted {
  readonly fault: Fault;
  until: number | undefined;
  passed: number;
  hits: number;
}

export function createFaults(clock: Clock, random: () => number): Faults {
  const planted = new Set<Planted>();
  return {
    plant(fault) {
      const each: Planted = { fault, until: undefined, passed: 0, hits: 0 };
      planted.add(each);
      return {
        get hits() {
          return each.hits;
        },
        remove: () => void planted.delete(each),
      };
    },
    hit(method, team, channel) {
      for (const each of planted) {
        if (!fits(each.fault, method, team, channel)) continue;
        each.until ??= clock.now() + (each.fault.forMs ?? Number.POSITIVE_INFINITY);
        if (clock.now() > each.until) continue;
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

function fits(fault: Fault, method: string, team: string | undefined, channel: string | undefined): boolean {
  const name = fault.method;
  const named =
    name === undefined || (name.endsWith('*') ? method.startsWith(name.slice(0, -1)) : method === name);
  return (
    named &&
    (fault.team === undefined || fault.team === team) &&
    (fault.channel === undefined || fault.channel === channel)
  );
}
