/** Compares this machine's clock with a channel's, for `parley doctor`. Both refuse requests that look too old. */

import type { Finding } from '../core/agents/agent.ts';
import type { Clock } from '../core/clock.ts';

/**
 * A clock difference up to this number of milliseconds is not reported. The limit is below the five minutes that the
 * channels tolerate, so that the operator still has time to correct the clock.
 */
const SKEW_MS = 60_000;

/**
 * Returns what the header `Date` of a response says about the clock; nothing if the header is absent or unreadable.
 * @param vendor owner of the other clock, by display name
 * @param consequence sentence that says what happens if the clocks differ
 */
export function checkClock(
  channel: string,
  vendor: string,
  { date, clock }: { readonly date: string | null | undefined; readonly clock: Clock },
  consequence: string,
): readonly Finding[] {
  const off = Math.round((clock.now() - Date.parse(date ?? '')) / 1_000);
  if (Number.isNaN(off)) return [];
  const what = `${channel} clock`;
  if (Math.abs(off) * 1_000 <= SKEW_MS) return [{ what, ok: true, detail: `agrees with ${vendor}` }];
  const detail = `differs from ${vendor} by ${off} s. Set this machine's clock. ${consequence}`;
  return [{ what, ok: false, detail }];
}
