/** Waits until nothing moves any more: neither the platform, nor the channel, nor what people wait for. */

import { setTimeout as pause } from 'node:timers/promises';
import { type Breach, check } from './check.ts';
import { callCount, type Run, recordOf } from './history.ts';

const LOOK_EVERY_MS = 100;
/** A pause between two calls of one reply is shorter, but for waits after failures, which a breach tells of. */
const QUIET_MS = 1_500;

/**
 * Resolves when for a moment nothing was called and nothing is left open, or at the latest after `patienceMs`; what is
 * still open then is for the checker to tell.
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
      // A check takes its time, of which the bridge in the same process has none to lose.
      since = Date.now();
    }
    await pause(LOOK_EVERY_MS);
  }
}
