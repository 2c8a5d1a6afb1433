import type { Clock } from '../../core/clock.ts';

/** Minimum time between two flushes under load if no write is urgent, in milliseconds. */
const GATHER_MS = 20;
/**
 * Number of calls of `gathering` per second above which a delay saves flushes. About four running turns make that many
 * calls.
 */
const GATHERING_PER_SECOND = 40;
/** Pause after a flush that found the store locked, in milliseconds. */
const LOCKED_PAUSE_MS = 20;

interface Plan {
  readonly kind: 'urgent' | 'gathering' | 'paused';
}

/** Decides when the group commit flushes. At most one flush is planned; an urgent one replaces a gathering one. */
export function createFlushSchedule(flush: () => void, clock: Clock) {
  let planned: Plan | undefined;
  let flushedAt = Number.NEGATIVE_INFINITY;
  const isBusy = createRate(clock);

  const plan = (kind: Plan['kind'], begin: (run: () => void) => void): void => {
    const made: Plan = { kind };
    planned = made;
    begin(() => {
      if (planned !== made) return;
      planned = undefined;
      flushedAt = clock.now();
      flush();
    });
  };
  const urgently = (): void => {
    if (planned === undefined || planned.kind === 'gathering') plan('urgent', setImmediate);
  };
  const after = (ms: number) => (run: () => void) => void clock.wait(ms).then(run, run);

  return {
    /** Flushes as soon as the events that are already due are handled. */
    urgently,
    /**
     * Flushes like `urgently` while few turns are writing; otherwise 20 ms after the last flush, so that the
     * writes of many turns share one flush.
     */
    gathering(): void {
      const busy = isBusy();
      if (planned !== undefined) return;
      const since = clock.now() - flushedAt;
      // If the clock was set back, the flush must not be delayed.
      if (!busy || since < 0 || since >= GATHER_MS) urgently();
      else plan('gathering', after(GATHER_MS - since));
    },
    /** Flushes after a pause. Other requests do not shorten the pause. */
    afterPause: (): void => plan('paused', after(LOCKED_PAUSE_MS)),
  };
}

/**
 * Returns a function that counts its calls, and returns true if the current or the previous second had more
 * than the limit.
 */
function createRate(clock: Clock): () => boolean {
  let second = 0;
  let count = 0;
  let before = 0;
  return () => {
    const now = Math.floor(clock.now() / 1_000);
    if (now !== second) {
      before = now === second + 1 ? count : 0;
      count = 0;
      second = now;
    }
    count += 1;
    return Math.max(count, before) >= GATHERING_PER_SECOND;
  };
}
