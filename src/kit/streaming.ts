/**
 * Which places show native streams: none where the operator wants none, and not for a while where the channel has none.
 */

import { LRUCache } from 'lru-cache';
import type { Clock } from '../core/clock.ts';

/** Time in which a place without streams is not tried again, in milliseconds: every try delays the first words. */
const FORGOTTEN_AFTER_MS = 60 * 60_000;
/** Places that are remembered; one that is forgotten is asked once more. */
const PLACES = 1_000;

export interface Streaming {
  /** True if a reply in this place may begin as a stream. */
  has(place: string): boolean;
  /** The channel has no streams there. */
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
