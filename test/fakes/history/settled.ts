/** Waits until the platform and the channel are idle and no question is waiting. */

import { setTimeout as pause } from 'node:timers/promises';
import { type Breach, check } from './check.ts';
import { callCount, type Run, recordOf } from './history.ts';

const LOOK_EVERY_MS = 100;
/** Longer than any pause between two calls of a reply, except waits after failures, which a breach reports. */
const QUIET_MS = 1_500;

/**
 * Resolves when there were no calls for a moment and nothing is open, at the latest after `patienceMs`. The checker
 * reports what is still open then.
 * @param counts which breaches are waited for
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
      // Checks are rare, because they take CPU time from the bridge in the same process.
      since = Date.now();
    }
    await pause(LOOK_EVERY_MS);
  }
}
