import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { FeedbackStore } from '../core/stores/feedback.ts';
import type { Inbox } from '../core/stores/inbox.ts';

const HOUR_MS = 3_600_000;
/** How long an ended turn is known: long enough for Retry, and for any channel's repeated events. */
const TURN_KEPT_MS = 7 * 24 * HOUR_MS;

/** How long feedback is kept: agents are looked after year by year. */
const FEEDBACK_KEPT_MS = 365 * 24 * HOUR_MS;

interface Kept {
  readonly inbox: Inbox;
  readonly feedback: FeedbackStore;
}

interface UpkeepParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Drops turns that ended and feedback that was given long ago, every hour until the signal aborts. */
export async function keepTidy(
  { inbox, feedback }: Kept,
  { clock, log, signal }: UpkeepParts,
): Promise<void> {
  while (!signal.aborted) {
    const dropped = [inbox.prune(clock.now() - TURN_KEPT_MS), feedback.prune(clock.now() - FEEDBACK_KEPT_MS)];
    await Promise.all(dropped).catch((err: unknown) => {
      log.warn({ err }, 'what is over could not be dropped; tried again in an hour');
    });
    await clock.wait(HOUR_MS, signal).catch(() => undefined);
  }
}
