/** Skips events already handled, because channels repeat them and some, such as Stop, are not idempotent. */

import { LRUCache } from 'lru-cache';
import type { AdapterHost } from '../core/channel/host.ts';
import type { Background } from './background.ts';
import { share } from './cache.ts';
import { plain } from './json.ts';

/** Time that a handled event is remembered, in milliseconds. Channels repeat events for minutes. */
const KNOWN_MS = 24 * 60 * 60_000;
/** Lease of a claim, in milliseconds. Once it has expired, an event that a crash interrupted may be handled again. */
const LEASE_MS = 10_000;
const RENEWALS_PER_LEASE = 3;
/** Maximum events remembered in memory, for which the store is not read. */
const REMEMBERED = 10_000;

/**
 * Runs the work unless the event was handled before. Failed work may run again. The event is claimed before the work
 * and marked as handled after it. After a crash in between, the next delivery waits for the claim to lapse, then runs
 * the work.
 */
export type Once = (event: string, work: () => Promise<void>) => Promise<void>;

interface OnceDeps {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock'>;
  readonly background: Background;
  /** Aborts the wait for another delivery's claim. */
  readonly signal: AbortSignal;
}

export function createOnce(deps: OnceDeps): Once {
  const { host, background } = deps;
  const handled = new LRUCache<string, Promise<void>>({ max: REMEMBERED });
  const run = async (key: string, work: () => Promise<void>): Promise<void> => {
    if (!(await claim(key, deps))) return;
    await underClaim(key, work, deps);
    // Written in the background, so the acknowledgement does not wait for another disk flush.
    background.run('the mark of a handled event', () => host.state.set(key, true, KNOWN_MS));
  };
  return (event, work) => {
    const key = `event ${event}`;
    return handled.get(key) ?? share(handled, key, run(key, work));
  };
}

/** Returns false if the event was handled before. */
async function claim(key: string, { host, signal }: OnceDeps): Promise<boolean> {
  for (;;) {
    const mark = await host.state.get(key);
    if (mark === true) return false;
    const left = leftOf(mark, host.clock.now());
    if (left <= 0) break;
    await host.clock.wait(left, signal);
  }
  await renew(key, host);
  return true;
}

/** Milliseconds until a claim lapses. More than a lease means that the clock was set back: the claim is void (F33). */
function leftOf(mark: unknown, now: number): number {
  const { until } = plain(mark);
  const left = typeof until === 'number' ? until - now : 0;
  return left > LEASE_MS ? 0 : left;
}

const renew = (key: string, { state, clock }: OnceDeps['host']): Promise<void> =>
  state.set(key, { until: clock.now() + LEASE_MS }, KNOWN_MS);

/** Renews the claim while the work runs, and releases it if the work fails. */
async function underClaim(key: string, work: () => Promise<void>, { host }: OnceDeps): Promise<void> {
  const over = new AbortController();
  const keeping = keep(key, host, over.signal);
  try {
    await work().finally(() => {
      over.abort();
      return keeping;
    });
  } catch (thrown) {
    await host.state.delete(key).catch(() => undefined);
    throw thrown;
  }
}

async function keep(key: string, host: OnceDeps['host'], over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await host.clock.wait(LEASE_MS / RENEWALS_PER_LEASE, over).catch(() => undefined);
    if (!over.aborted) await renew(key, host).catch(() => undefined);
  }
}
