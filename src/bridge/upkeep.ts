import type { Log } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { Inbox } from '../core/stores.ts';

const HOUR_MS = 3_600_000;
/** How long an ended turn is known: long enough for Retry, and for any channel's repeated events. */
const TURN_KEPT_MS = 7 * 24 * HOUR_MS;

interface UpkeepParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Drops turns that ended long ago, every hour until the signal aborts. */
export async function keepTidy(inbox: Inbox, { clock, log, signal }: UpkeepParts): Promise<void> {
  while (!signal.aborted) {
    await inbox.prune(clock.now() - TURN_KEPT_MS).catch((err: unknown) => {
      log.warn({ err }, 'ended turns could not be dropped; tried again in an hour');
    });
    await clock.wait(HOUR_MS, signal).catch(() => undefined);
  }
}
