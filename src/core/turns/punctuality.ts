/** Whether the process keeps up: what comes in must be kept and acknowledged, however many turns wait to begin. */

import type { Clock } from '../clock.ts';

/** A look costs this much time; it is too late by how much longer it takes. */
const LOOK_MS = 1;
/** So often it is looked at the most. */
const LOOK_EVERY_MS = 20;
/** A process that is later than this begins nothing more until it is on time again. */
const LATE_MS = 50;
/** Looks before one more turn begins all the same: late for ever must not mean stopped. */
const PATIENCE = 20;

/** Resolves at once where it was looked just now, else as soon as the process is on time. */
export function createPunctuality(clock: Clock, signal: AbortSignal): () => Promise<void> {
  let looked = Number.NEGATIVE_INFINITY;
  return async () => {
    if (Math.abs(clock.now() - looked) < LOOK_EVERY_MS) return;
    for (let look = 0; look < PATIENCE && !signal.aborted; look++) {
      const asked = clock.now();
      await clock.wait(LOOK_MS, signal).catch(() => undefined);
      looked = clock.now();
      if (looked - asked - LOOK_MS <= LATE_MS) return;
    }
  };
}
