/** What Teams lets a bot ask of one conversation: whoever comes too early waits. */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../src/kit.ts';

interface Window {
  readonly calls: number;
  readonly ms: number;
}

/** Resolves when one more call may be made of the conversation. */
export type Allowance = (conversation: string, signal: AbortSignal) => Promise<void>;

/** Teams counts a call when it arrives, and one may be under way for so much longer than another. */
const TRAVEL_MS = 300;
/** Conversations whose calls are remembered. */
const REMEMBERED = 5_000;

export function createAllowance(windows: readonly Window[], clock: Clock): Allowance {
  const made = new LRUCache<string, readonly number[]>({ max: REMEMBERED });
  const longest = Math.max(...windows.map(({ ms }) => ms));
  return async (conversation, signal) => {
    const now = clock.now();
    const times = (made.get(conversation) ?? []).filter((at) => at > now - longest - TRAVEL_MS);
    // The place in the windows is taken at once, so that of many who wait each has its own.
    const at = windows.reduce((due, window) => Math.max(due, freeAt(times, window)), now);
    made.set(conversation, [...times, at]);
    if (at > now) await clock.wait(at - now, signal);
  };
}

/** When the window has room for one more; `times` are in order. */
function freeAt(times: readonly number[], { calls, ms }: Window): number {
  const first = times.at(-calls);
  return first === undefined ? Number.NEGATIVE_INFINITY : first + ms + TRAVEL_MS;
}
