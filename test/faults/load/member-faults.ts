/** Seeded faults of the agent that signs in and keeps sessions. */

import type { Town } from './town.ts';

/**
 * Milliseconds for which the token endpoint is down (F14). The bridge tries three times, so only the longer times make
 * questions fail.
 */
const DOWN_MS = [300, 3_000, 10_000];
/** Milliseconds by which the platform's clock is ahead (F14). */
const AHEAD_MS = [0, 10 * 60_000];

/** Begins one fault: F14 (token endpoint down, clocks apart) or F16 (all sessions unknown). */
export function spoilMember({ platform: { member } }: Pick<Town, 'platform'>, random: () => number): void {
  const which = random();
  if (which < 0.5) member.forgetSessions();
  else if (which < 0.75) member.signInDown(DOWN_MS[Math.floor(random() * DOWN_MS.length)] ?? 0);
  else member.setClock(AHEAD_MS[Math.floor(random() * AHEAD_MS.length)] ?? 0);
}
