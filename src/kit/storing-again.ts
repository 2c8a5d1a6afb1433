/**
 * Tries again to store events that the store refused. The channel also sends such events again, but Slack may wait a
 * minute first. Meanwhile, a later question of the thread would be answered before the earlier one.
 */

import { type Clock, within } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';

/** Pause between two attempts, in milliseconds. */
const PAUSE_MS = 250;
/** Time for which an event is tried again, in milliseconds. After that, only the channel sends the event again. */
const KEPT_MS = 60_000;
/** Maximum time for which a new event waits for earlier ones, in milliseconds. */
const EARLIER_MS = 500;
/** Maximum number of events in memory. Further events are left to the channel. */
const MAX_EVENTS = 1_000;

export interface StoringDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** True while the bridge stops. Events are then refused and left to the channel, which sends them again. */
  stopping(): boolean;
}

/** Stores one event. Rejects with `store-unavailable` if the store refuses it. */
type Store = () => Promise<unknown>;

interface Refused {
  readonly store: Store;
  readonly until: number;
}

export type StoringAgain = ReturnType<typeof createStoringAgain>;

export function createStoringAgain({ clock, log, stopping }: StoringDeps) {
  /** The refused events, oldest first. */
  const refused = new Set<Refused>();
  let passing: Promise<void> | undefined;
  let isRunning = false;
  /** Stores an event again. Resolves to false if the store refused it again. */
  const storeAgain = async (event: Refused): Promise<boolean> => {
    try {
      await event.store();
    } catch (thrown) {
      if (isRefusal(thrown)) return false;
      log.warn({ err: thrown }, 'an event that was kept during an outage could not be handled');
    }
    return refused.delete(event);
  };
  /**
   * Tries the oldest event alone. If it is stored, tries all others at once. During an outage, a pass therefore costs
   * one attempt.
   */
  const passOnce = async (): Promise<void> => {
    for (const event of refused) if (stopping() || clock.now() >= event.until) refused.delete(event);
    const [first, ...others] = refused;
    if (first !== undefined && (await storeAgain(first))) await Promise.all(others.map(storeAgain));
  };
  const pass = (): Promise<void> => {
    passing ??= passOnce().finally(() => {
      passing = undefined;
    });
    return passing;
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (refused.size > 0) {
      await clock.wait(PAUSE_MS);
      await pass();
    }
    isRunning = false;
  };
  return {
    /**
     * First tries again to store earlier events, and waits for them at most `EARLIER_MS`. Then resolves or rejects as
     * `store` does. If the store refuses the event, rejects at once and tries again in the background.
     */
    async try<T>(store: () => Promise<T>): Promise<T> {
      if (refused.size > 0) await within(pass(), EARLIER_MS, clock);
      return store().catch((thrown: unknown) => {
        if (isRefusal(thrown) && refused.size < MAX_EVENTS) {
          refused.add({ store, until: clock.now() + KEPT_MS });
          void run();
        }
        throw thrown;
      });
    },
  };
}

const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof BridgeError && thrown.code === 'store-unavailable';
