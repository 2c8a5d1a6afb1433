/**
 * Knows in which places (such as rooms) the channel shows native streams: in none if the operator switched streams
 * off, and otherwise in all places except those where the channel refused a stream within the last hour.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';

/**
 * Milliseconds after a refusal until a stream is tried again in the place. Each failed attempt delays the first text
 * of a reply.
 */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Maximum number of places whose refusal is remembered. In a place that was forgotten, a stream is tried again. */
const PLACES = 1_000;

export type Streaming = ReturnType<typeof createStreaming>;

export function createStreaming(wanted: boolean, clock: Clock) {
  const lacking = new LRUCache<string, number>({ max: PLACES });
  return {
    /** True if a reply in this place may start as a stream. */
    has(place: string) {
      const since = lacking.get(place);
      return wanted && (since === undefined || Math.abs(clock.now() - since) >= FORGOTTEN_AFTER_MS);
    },
    /** Records that the channel refused a stream in this place. */
    lacks(place: string) {
      lacking.set(place, clock.now());
    },
  };
}
