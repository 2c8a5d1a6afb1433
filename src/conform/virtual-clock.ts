/**
 * Virtual time: it passes only when a check or a test advances the clock, and waits end in the order of their times.
 */

import type { Clock } from '../core/clock.ts';

export interface VirtualClock extends Clock {
  /** Advances by `ms`. Ends every wait that is due by then, in order, and lets pending work settle after each wait. */
  pass(ms: number): Promise<void>;
  /** Advances until the condition is true. Throws if it is still false after `limitMs`. */
  until(condition: () => boolean, limitMs?: number): Promise<void>;
  /** Sets the time of day without ending any wait early, like a corrected system clock (fault F33). */
  jump(ms: number): void;
  /** Number of waits that have neither ended nor been aborted. */
  readonly waiting: number;
}

export interface VirtualClockOptions {
  readonly start?: number;
  /** Resolves when only virtual waits remain; by default, after one round of the event loop. */
  settle?(): Promise<void>;
}

interface Wait {
  readonly at: number;
  readonly order: number;
  fire(): void;
}

/** 2026-11-01T00:00:00Z, so that times in failures are readable. */
const START = 1_793_491_200_000;

export function createVirtualClock({
  start = START,
  settle = oneRound,
}: VirtualClockOptions = {}): VirtualClock {
  /** Monotonic time. The time of day is `steady` plus `offset`. */
  let steady = start;
  let offset = 0;
  let order = 0;
  const waits = new Set<Wait>();

  /** Ends the next wait that is due by `limit`; returns false if there is none. */
  const step = (limit: number): boolean => {
    const next = earliest(waits, limit);
    if (next === undefined) return false;
    steady = Math.max(steady, next.at);
    waits.delete(next);
    next.fire();
    return true;
  };

  return {
    now: () => steady + offset,
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        order += 1;
        const giveUp = () => {
          waits.delete(wait);
          reject(signal?.reason);
        };
        const wait: Wait = {
          at: steady + Math.max(0, ms),
          order,
          fire: () => {
            signal?.removeEventListener('abort', giveUp);
            resolve();
          },
        };
        waits.add(wait);
        signal?.addEventListener('abort', giveUp, { once: true });
      }),
    async pass(ms) {
      const end = steady + ms;
      await settle();
      while (step(end)) await settle();
      steady = end;
    },
    async until(condition, limitMs = 600_000) {
      const end = steady + limitMs;
      await settle();
      while (!condition()) {
        if (!step(end)) throw new Error(`The condition is still false after ${limitMs} ms of virtual time.`);
        await settle();
      }
    },
    jump(ms) {
      offset += ms;
    },
    get waiting() {
      return waits.size;
    },
  };
}

/** Returns the wait that ends first; undefined if none ends by `until`. */
function earliest(waits: ReadonlySet<Wait>, until: number): Wait | undefined {
  let first: Wait | undefined;
  for (const wait of waits) {
    if (wait.at > until) continue;
    if (first === undefined || wait.at < first.at || (wait.at === first.at && wait.order < first.order))
      first = wait;
  }
  return first;
}

function oneRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
