/** Messages in Teams that a killed process left and no later process can find. */

import type { Breach } from './breach.ts';

/** Milliseconds before a kill in which a call may have been in progress, on a busy machine too. */
const UNDER_WAY_MS = 5_000;
/**
 * True for a stream without text, or a note that a question waits, whose id no process got before the kill: Teams offers
 * no way to find it.
 */
export function isOrphan({ rule, what, where }: Breach, breaks: readonly number[]): boolean {
  const posted = Number(where.split('/').at(-1));
  const unheard = breaks.some((at) => at > posted - UNDER_WAY_MS && at - posted < UNDER_WAY_MS);
  return rule === 'stray' && unheard && /"(?:Yourquestionwaits.*)?"$/.test(what);
}
