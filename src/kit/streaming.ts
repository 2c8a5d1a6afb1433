/**
 * Knows which places show native streams: none if the operator switched streams off, and for an hour none
 * where the channel refused a stream.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';

/** Time until a place without streams is tried again, in milliseconds. Each attempt delays the first words. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Maximum remembered places; a forgotten place is tried once more. */
const PLACES = 1_000;

export interface Streaming {
  /** True if a reply in this place may start as a stream. */
  has(place: string): boolean;
  /** Records that the channel refused a stream in this place. */
  lacks(place: string): void;
}

export function createStreaming(wanted: boolean, clock: Clock): Streaming {
  const lacking = new LRUCache<string, number>({ max: PLACES });
  return {
    has(place) {
      const since = lacking.get(place);
      return wanted && (since === undefined || Math.abs(clock.now() - since) >= FORGOTTEN_AFTER_MS);
    },
    lacks(place) {
      lacking.set(place, clock.now());
    },
  };
}
