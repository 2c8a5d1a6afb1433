/**
 * Skips events that were handled already. Needed because channels repeat events, and some events, such as Stop, must
 * not be handled twice.
 */

import { LRUCache } from 'lru-cache';
import type { AdapterHost } from '../core/channel/host.ts';
import type { Owner } from '../core/stores/keyed.ts';
import type { Background } from './background.ts';
import { share } from './cache.ts';
import { plain } from './json.ts';

/** Milliseconds for which a handled event is remembered. Channels repeat events for some minutes. */
const KNOWN_MS = 24 * 60 * 60_000;
/**
 * Duration of a claim without renewal, in milliseconds. If a crash interrupts the handling of an event, the event can
 * be handled again after this time.
 */
const LEASE_MS = 10_000;
const RENEWALS_PER_LEASE = 3;
/** Pause before another process's claim is read again, in milliseconds. */
const REVIEW_MS = 1_000;
/** Maximum difference between the clocks of two processes that share a store, in milliseconds. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
/** Maximum number of handled events that are remembered in memory, so that the store need not be read for them. */
const REMEMBERED = 10_000;

/**
 * Runs the work unless the event was handled before. The event is claimed before the work, and marked as handled
 * after it. If the work fails, it may run again. After a crash, the channel's next delivery of the event waits until
 * the claim expires, and then runs the work.
 * @param owner whom the event is about
 */
export type Once = (event: string, work: () => Promise<void>, owner: Owner) => Promise<void>;

interface OnceDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock'>;
  readonly background: Background;
  /** Aborts the wait for a claim that another delivery of the event holds. */
  readonly signal: AbortSignal;
}

export function createOnce({ host: { state, clock }, background, signal }: OnceDeps): Once {
  const handled = new LRUCache<string, Promise<void>>({ max: REMEMBERED });
  /** Claims the event, or renews the claim, if `isFree` returns true for the stored mark. */
  const claim = (key: string, owner: Owner, isFree: (mark: unknown) => boolean): Promise<boolean> =>
    state.change(key, (mark) => (isFree(mark) ? { at: clock.now() } : undefined), LEASE_MS, owner);
  /** Renews the claim until the work is over, unless another process has handled the event meanwhile. */
  const keep = async (key: string, owner: Owner, over: AbortSignal): Promise<void> => {
    while (!over.aborted) {
      await clock.wait(LEASE_MS / RENEWALS_PER_LEASE, over).catch(() => undefined);
      if (!over.aborted) await claim(key, owner, (mark) => mark !== true).catch(() => false);
    }
  };
  const run = async (key: string, work: () => Promise<void>, owner: Owner): Promise<void> => {
    let isHandled = false;
    const isFree = (mark: unknown): boolean => {
      isHandled = mark === true;
      return !isHandled && !isClaim(mark, clock.now());
    };
    while (!(await claim(key, owner, isFree))) {
      if (isHandled) return;
      await clock.wait(REVIEW_MS, signal);
    }
    const over = new AbortController();
    const keeping = keep(key, owner, over.signal);
    try {
      await work().finally(() => {
        over.abort();
        return keeping;
      });
    } catch (thrown) {
      // Release the claim, so that the work may run again.
      await state.delete(key).catch(() => undefined);
      throw thrown;
    }
    // The mark is written in the background, so that the acknowledgement does not wait for another disk flush.
    background.run('marking an event as handled', () => state.set(key, true, KNOWN_MS, owner));
  };
  return (event, work, owner) => {
    const key = `event ${event}`;
    return handled.get(key) ?? share(handled, key, run(key, work, owner));
  };
}

/**
 * True if the mark is a valid claim. The store removes a claim when its lease ends. A claim that lies far in the future
 * is not valid, because the clock has been set back since the claim was made (fault F33).
 */
function isClaim(mark: unknown, now: number): boolean {
  const { at } = plain(mark);
  return typeof at === 'number' && at - now <= MAX_CLOCK_DIFFERENCE_MS;
}
