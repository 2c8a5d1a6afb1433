/** A server that accepts or refuses each call by documented rate limits, in virtual time. */

import type { Clock } from '../../../src/core/clock.ts';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;

export interface ServerLimits {
  /** Calls per minute for each tenant, by method. */
  readonly perMinute: Readonly<Record<string, number>>;
  readonly kind: 'window' | 'bucket';
  /** Rate and burst of posts into one room. */
  readonly room: { readonly method: string; readonly perSecond: number; readonly burst: number };
}

export interface Limiter {
  /** Counts the call. Returns the seconds to wait if it is refused, otherwise undefined. */
  arrive(call: {
    readonly tenant: string;
    readonly room: string;
    readonly method: string;
  }): number | undefined;
  readonly refused: number;
}

export function createLimiter(limits: ServerLimits, clock: Clock): Limiter {
  const minutes = new Map<string, Meter>();
  const rooms = new Map<string, Meter>();
  let refused = 0;
  const meter = (meters: Map<string, Meter>, key: string, make: () => Meter): Meter => {
    const found = meters.get(key) ?? make();
    meters.set(key, found);
    return found;
  };
  return {
    arrive({ tenant, room, method }) {
      const now = clock.now();
      const perMinute = limits.perMinute[method];
      const asked: Meter[] = [];
      if (perMinute !== undefined) {
        const make =
          limits.kind === 'window'
            ? () => windowMeter(perMinute)
            : () => bucketMeter(perMinute, perMinute / MINUTE_MS);
        asked.push(meter(minutes, `${tenant} ${method}`, make));
      }
      if (method === limits.room.method) {
        const { burst, perSecond } = limits.room;
        asked.push(meter(rooms, `${tenant} ${room}`, () => bucketMeter(burst, perSecond / SECOND_MS)));
      }
      const waits = asked.map((each) => each.waitMs(now));
      const waitMs = Math.max(0, ...waits);
      if (waitMs > 0) {
        refused += 1;
        return Math.ceil(waitMs / SECOND_MS);
      }
      for (const each of asked) each.take(now);
      return undefined;
    },
    get refused() {
      return refused;
    },
  };
}

interface Meter {
  waitMs(now: number): number;
  take(now: number): void;
}

function windowMeter(limit: number): Meter {
  const arrivals: number[] = [];
  return {
    waitMs(now) {
      while (arrivals[0] !== undefined && arrivals[0] <= now - MINUTE_MS) arrivals.shift();
      const [oldest = 0] = arrivals;
      return arrivals.length < limit ? 0 : oldest + MINUTE_MS - now;
    },
    take: (now) => void arrivals.push(now),
  };
}

function bucketMeter(size: number, perMs: number): Meter {
  let tokens = size;
  let at: number | undefined;
  const refill = (now: number) => {
    tokens = Math.min(size, tokens + (now - (at ?? now)) * perMs);
    at = now;
  };
  return {
    waitMs(now) {
      refill(now);
      return tokens >= 1 - 1e-9 ? 0 : (1 - tokens) / perMs;
    },
    take() {
      tokens -= 1;
    },
  };
}
