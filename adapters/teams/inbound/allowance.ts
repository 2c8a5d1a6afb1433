/** Delays calls about one conversation, so that they keep within Teams' limits. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../src/kit.ts';

interface Window {
  readonly calls: number;
  readonly ms: number;
}

/** Resolves when the conversation's limit allows one more call. */
export type Allowance = (conversation: string, signal: AbortSignal) => Promise<void>;

/** Added to each window, in milliseconds: Teams counts calls when they arrive, and their travel times differ. */
const TRAVEL_MS = 300;
/** Maximum conversations in memory. */
const MAX_CONVERSATIONS = 5_000;

export function createAllowance(windows: readonly Window[], clock: Clock): Allowance {
  const made = new LRUCache<string, readonly number[]>({ max: MAX_CONVERSATIONS });
  const longest = Math.max(...windows.map(({ ms }) => ms));
  return async (conversation, signal) => {
    const now = clock.now();
    const times = (made.get(conversation) ?? []).filter((at) => at > now - longest - TRAVEL_MS);
    // The slot is reserved before the wait, so that concurrent callers get different slots.
    const at = windows.reduce((due, window) => Math.max(due, freeAt(times, window)), now);
    made.set(conversation, [...times, at]);
    if (at > now) await clock.wait(at - now, signal);
  };
}

/** Returns the time at which the window has room for one more call. `times` must be in order. */
function freeAt(times: readonly number[], { calls, ms }: Window): number {
  const first = times.at(-calls);
  return first === undefined ? Number.NEGATIVE_INFINITY : first + ms + TRAVEL_MS;
}
