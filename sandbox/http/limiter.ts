import type { Clock } from '../clock.ts';

/** A fixed window of one minute (platform contract LIM-11). Returns the seconds to wait, 0 when the request may pass. */
export function createLimiter(clock: Clock, limitPerMinute: () => number): () => number {
  let windowStart = 0;
  let used = 0;
  return () => {
    const limit = limitPerMinute();
    if (limit === 0) return 0;
    const now = clock.now();
    if (now - windowStart >= 60_000) {
      windowStart = now;
      used = 0;
    }
    used += 1;
    return used <= limit ? 0 : Math.max(1, Math.ceil((windowStart + 60_000 - now) / 1000));
  };
}
