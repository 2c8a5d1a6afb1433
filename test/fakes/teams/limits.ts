/**
 * Teams' rate limits: https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit
 * ("Per bot per thread limit", "Per thread limit for all bots", and the note on the limit per app and tenant). On that
 * page, a thread is "1:1 between bot and user, a group chat, or a channel in a team": all threads of a channel share it.
 */

import type { Clock } from '../../../src/core/clock.ts';

export interface Rate {
  readonly calls: number;
  /** Length of the window in milliseconds. */
  readonly per: number;
}

/** Group of calls that share one rate limit. */
export type Family = 'send' | 'create' | 'members' | 'conversations';

const rates = (...table: readonly [calls: number, seconds: number][]): readonly Rate[] =>
  table.map(([calls, seconds]) => ({ calls, per: seconds * 1_000 }));

const sending = rates([7, 1], [8, 2], [60, 30], [1_800, 3_600]);
const reading = rates([14, 1], [16, 2], [120, 30], [3_600, 3_600]);

export const documentedRates = {
  thread: { send: sending, create: sending, members: reading, conversations: reading },
  allBots: {
    send: rates([14, 1], [16, 2]),
    create: rates([14, 1], [16, 2]),
    members: rates([28, 1], [32, 2]),
    conversations: rates([28, 1], [32, 2]),
  },
  tenant: rates([50, 1]),
} as const satisfies Table;

interface Table {
  readonly thread: Readonly<Record<Family, readonly Rate[]>>;
  readonly allBots: Readonly<Record<Family, readonly Rate[]>>;
  readonly tenant: readonly Rate[];
}

export interface LimitOptions {
  /** Switches all limits off, except the pace of native streams. */
  readonly off?: boolean;
  readonly rates?: Partial<Table>;
}

export interface Asking {
  readonly tenant: string;
  readonly family: Family;
  /** The chat or channel; the person if the call creates a conversation. */
  readonly thread: string;
}

export interface Limiter {
  /** Takes a slot and returns 0, or returns the whole seconds to wait. */
  take(asking: Asking): number;
  /** Counts calls of other apps in a thread. */
  others(asking: Asking, calls: number): void;
}

export function createLimiter(clock: Clock, { off = false, rates: own = {} }: LimitOptions = {}): Limiter {
  const table: Table = { ...documentedRates, ...own };
  const windows = new Map<string, Window>();
  const window = (key: string, limits: readonly Rate[]): Window => {
    const known = windows.get(key) ?? createWindow(limits);
    windows.set(key, known);
    return known;
  };
  const ofAllBots = ({ tenant, family, thread }: Asking) =>
    window(`all ${tenant} ${family} ${thread}`, table.allBots[family]);
  return {
    take(asking) {
      if (off) return 0;
      const { tenant, family, thread } = asking;
      const now = clock.now();
      const all = [
        window(`own ${tenant} ${family} ${thread}`, table.thread[family]),
        ofAllBots(asking),
        window(tenant, table.tenant),
      ];
      const wait = Math.max(...all.map((each) => each.wait(now)));
      if (wait > 0) return Math.max(1, Math.ceil(wait / 1_000));
      for (const each of all) each.take(now);
      return 0;
    },
    others(asking, calls) {
      for (let call = 0; call < calls; call += 1) ofAllBots(asking).take(clock.now());
    },
  };
}

interface Window {
  /** Returns the milliseconds until a call would pass; 0 means now. */
  wait(now: number): number;
  take(now: number): void;
}

/** Applies several sliding windows to the same calls; a call needs a slot in each. */
function createWindow(limits: readonly Rate[]): Window {
  const taken: number[] = [];
  const longest = Math.max(...limits.map(({ per }) => per));
  return {
    wait(now) {
      while (taken[0] !== undefined && taken[0] <= now - longest) taken.shift();
      const waits = limits.map(({ calls, per }) => {
        const oldest = taken[taken.length - calls];
        return oldest === undefined ? 0 : oldest + per - now;
      });
      return Math.max(0, ...waits);
    },
    take: (now) => taken.push(now),
  };
}
