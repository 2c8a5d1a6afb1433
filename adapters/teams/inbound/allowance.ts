/** Delays calls about a conversation, so that they stay within Teams' limits. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../src/kit.ts';

interface Window {
  readonly calls: number;
  readonly ms: number;
}

/** Resolves when the limits permit one more call about the conversation. */
export type Allowance = (conversation: string, signal: AbortSignal) => Promise<void>;

/**
 * Time added to each window of a limit, in milliseconds, because Teams counts calls on arrival, and their travel times
 * vary.
 */
const TRAVEL_MS = 300;
/** Maximum number of conversations for which the times of calls are remembered. */
const MAX_CONVERSATIONS = 5_000;

export function createAllowance(windows: readonly Window[], clock: Clock): Allowance {
  const made = new LRUCache<string, readonly number[]>({ max: MAX_CONVERSATIONS });
  const longest = Math.max(...windows.map(({ ms }) => ms));
  return async (conversation, signal) => {
    const now = clock.now();
    const times = (made.get(conversation) ?? []).filter((at) => at > now - longest - TRAVEL_MS);
    // Reserve the time before waiting, so that concurrent callers get different times.
    const at = windows.reduce((due, window) => Math.max(due, freeAt(times, window)), now);
    made.set(conversation, [...times, at]);
    if (at > now) await clock.wait(at - now, signal);
  };
}

/** Returns the time at which the limit permits one more call. `times` are the times of the calls so far, in order. */
function freeAt(times: readonly number[], { calls, ms }: Window): number {
  const first = times.at(-calls);
  return first === undefined ? Number.NEGATIVE_INFINITY : first + ms + TRAVEL_MS;
}
