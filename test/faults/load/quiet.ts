/** Waits until a run is over. */

import { callCount } from '../../fakes/history/history.ts';
import { settled } from '../../fakes/history/settled.ts';
import type { Town } from './town.ts';

/**
 * The wait ends when the bridge has made no call for this many milliseconds. Must exceed two minutes: Teams ends an
 * open stream after two minutes, and only then accepts the call that deletes the stream's message.
 */
const SILENCE_MS = 150_000;
/** Maximum duration of the whole wait, in milliseconds. */
const LONGEST_MS = 10 * 60_000;
/** Rules whose breaches may disappear while replies are still being written. */
const PASSING = ['terminal', 'thinking', 'text', 'stray', 'retry'];

/**
 * Resolves when no reply is in progress. Also resolves when the bridge has made no call for a while; the checker then
 * reports the replies that are still open.
 */
export async function quiet(town: Town): Promise<void> {
  const until = Date.now() + LONGEST_MS;
  for (let calls = -1; calls !== callCount(town) && Date.now() < until; ) {
    calls = callCount(town);
    await settled(town, SILENCE_MS, ({ rule }) => PASSING.includes(rule));
  }
}
