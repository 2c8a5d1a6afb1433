/** Messages in Teams that a killed process sent and no later process can find. */

import { doingOf } from './doing.ts';
import type { Called, History, Shown } from './kept.ts';

/**
 * Maximum time from the response to a call until the calling process has handled the response, in milliseconds. A
 * bridge that shares two cores with twenty busy processes was seen to need more than 500 ms.
 */
const UNHANDLED_MS = 2_000;
/** Time for which the app waits for the response to a call, in milliseconds. */
const CALL_MS = 15_000;

/**
 * True for a message in a personal chat of Teams that was being sent when its process was killed. The app cannot read
 * such chats, so the next process sends the text again.
 */
export function isUnknown(
  { channel, ts }: Shown,
  calls: readonly Called[],
  { breaks, machineFaults }: Pick<History, 'breaks' | 'machineFaults'>,
): boolean {
  const [opening, ...later] = calls.filter(({ ok }) => ok);
  const isLast = opening !== undefined && later.every(({ at }) => at <= opening.at + UNHANDLED_MS);
  if (!channel.startsWith('a:') || !isLast || opening.ts !== ts || doingOf(opening.method) !== 'opens')
    return false;
  const { at, doneAt, fault } = opening;
  const answeredAt = fault === 'hang' ? at + CALL_MS : doneAt;
  const handled = Number.isFinite(answeredAt) ? answeredAt + UNHANDLED_MS : Number.POSITIVE_INFINITY;
  const ends = [...breaks, ...machineFaults.map((fault) => fault.at)];
  return ends.some((ended) => ended >= at && ended <= handled);
}
