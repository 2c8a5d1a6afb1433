/** Time limits of a run of the checks, and functions that wait with a time limit. */

import { systemClock } from '../clock.ts';
import { within } from '../core/clock.ts';

/** Maximum duration of a call to the rig or the channel, in milliseconds. */
export const CALL_MS = 10_000;
/** Maximum time to start the chat, in milliseconds. A real chat server may take a while. */
export const OPEN_MS = 30_000;
/** Maximum time to stop the adapter, in milliseconds, as in the bridge (src/bridge/guarded.ts). */
export const STOP_MS = 5_000;
/** Maximum duration of one run of a check, in milliseconds. */
export const CHECK_MS = 60_000;
/** Maximum time, in milliseconds, until a message or event is visible in the chat or in the bridge. */
export const SEEN_MS = 5_000;
/** Milliseconds between two look-ups of a value that is waited for. */
const LOOK_EVERY_MS = 20;

/** Rejects with an error that names the work if the work takes longer than `ms`. */
export async function inTime<Value>(what: string, work: () => Promise<Value>, ms = CALL_MS): Promise<Value> {
  const ended = work().then((value) => ({ value }));
  const result = await within(ended, ms, systemClock);
  if (result === undefined) throw new Error(`${what} did not return within ${ms / 1_000} s.`);
  return result.value;
}

/** Calls `look` until it returns a value, and resolves with this value. Resolves with undefined after `ms`. */
export async function seen<Value>(
  look: () => Promise<Value | undefined> | Value | undefined,
  ms = SEEN_MS,
): Promise<Value | undefined> {
  const end = systemClock.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined || systemClock.now() >= end) return found;
    await systemClock.wait(LOOK_EVERY_MS);
  }
}
