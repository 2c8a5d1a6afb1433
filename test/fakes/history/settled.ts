/** Waits until the platform and the channel are idle and no question is waiting. */

import { setTimeout as pause } from 'node:timers/promises';
import { type Breach, check } from './check.ts';
import { callCount, type Run, recordOf } from './history.ts';

const LOOK_EVERY_MS = 100;
/**
 * Time without calls after which a run is checked, in milliseconds. Pauses between the calls of a reply are shorter,
 * except after a failure. A check during such a longer pause finds a breach, and `settled` waits on.
 */
const QUIET_MS = 1_500;

/**
 * Resolves when there were no calls for `QUIET_MS` and the check finds no breach, or after `patienceMs`. In the second
 * case, the test's own check reports the remaining breaches.
 * @param counts returns true for a breach that may still disappear; the function waits until it has disappeared
 */
export async function settled(
  house: Run,
  patienceMs = 30_000,
  counts: (breach: Breach) => boolean = () => true,
): Promise<void> {
  const until = Date.now() + patienceMs;
  let calls = -1;
  let since = Date.now();
  while (Date.now() < until) {
    const length = callCount(house);
    if (length !== calls || house.platform.askings.some(({ end }) => end === undefined)) since = Date.now();
    calls = length;
    if (Date.now() - since >= QUIET_MS) {
      if (!check(recordOf(house)).some(counts)) return;
      // Waits again before the next check, because checks take CPU time from the bridge in the same process.
      since = Date.now();
    }
    await pause(LOOK_EVERY_MS);
  }
}
