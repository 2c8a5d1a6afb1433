/** Runs the work of an event once, for events whose repetition would do something else, such as Stop. */

import type { AdapterHost } from '../core/channel/host.ts';
import type { Background } from './background.ts';
import { plain } from './json.ts';

/** How long a handled event is known: channels repeat events for minutes. */
const KNOWN_MS = 24 * 60 * 60_000;
/** How long a claim holds without renewal; then an event that a crash interrupted may be handled again. */
const LEASE_MS = 10_000;
const RENEWALS_PER_LEASE = 3;
/** Events that are remembered without asking the store. */
const REMEMBERED = 10_000;

/**
 * Does the work unless it was done before. Work that failed may be done again. The event is claimed before the work and
 * marked as done after it: where a crash came between, the next call waits for the claim to lapse and does the work.
 */
export type Once = (event: string, work: () => Promise<void>) => Promise<void>;

export interface OnceParts {
  readonly host: Pick<AdapterHost<unknown, unknown>, 'state' | 'clock'>;
  readonly background: Background;
  /** Ends the wait for another claim. */
  readonly signal: AbortSignal;
}

export function createOnce(parts: OnceParts): Once {
  const { host, background } = parts;
  const handled = new Map<string, Promise<void>>();
  const run = async (key: string, work: () => Promise<void>): Promise<void> => {
    if (!(await claim(key, parts))) return;
    await underClaim(key, work, parts);
    // The event is handled: its acknowledgement need not wait for one more flush of the disk.
    background.run('the mark of a handled event', () => host.state.set(key, true, KNOWN_MS));
  };
  return (event, work) => {
    const key = `event ${event}`;
    const known = handled.get(key);
    if (known !== undefined) return known;
    const running = run(key, work);
    handled.set(key, running);
    running.catch(() => handled.delete(key));
    const [oldest] = handled.keys();
    if (handled.size > REMEMBERED && oldest !== undefined) handled.delete(oldest);
    return running;
  };
}

/** False where the event was handled before. */
async function claim(key: string, { host, signal }: OnceParts): Promise<boolean> {
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

/** How long a claim still holds. One that would hold for longer than a lease is of a clock that was set back (F33). */
function leftOf(mark: unknown, now: number): number {
  const { until } = plain(mark);
  const left = typeof until === 'number' ? until - now : 0;
  return left > LEASE_MS ? 0 : left;
}

const renew = (key: string, { state, clock }: OnceParts['host']): Promise<void> =>
  state.set(key, { until: clock.now() + LEASE_MS }, KNOWN_MS);

/** Renews the claim while the work runs, and gives it up where the work fails. */
async function underClaim(key: string, work: () => Promise<void>, { host }: OnceParts): Promise<void> {
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

async function keep(key: string, host: OnceParts['host'], over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await host.clock.wait(LEASE_MS / RENEWALS_PER_LEASE, over).catch(() => undefined);
    if (!over.aborted) await renew(key, host).catch(() => undefined);
  }
}
