/** Messages in Teams that a killed process left and no later process can find. */

import type { Breach } from './breach.ts';
import { doingOf } from './doing.ts';
import type { Called, History, Shown } from './kept.ts';

/** Maximum time between a call and the kill that interrupted it, in milliseconds, even on a busy machine. */
const UNDER_WAY_MS = 5_000;
/**
 * True for a stream without text, or a note "Your question is waiting", whose process was killed before it received
 * the message's id: Teams offers no way to find such a message.
 */
export function isOrphan({ rule, what, where }: Breach, breaks: readonly number[]): boolean {
  const posted = Number(where.split('/').at(-1));
  const unheard = breaks.some((at) => at > posted - UNDER_WAY_MS && at - posted < UNDER_WAY_MS);
  return rule === 'stray' && unheard && /"(?:Yourquestionwaits.*)?"$/.test(what);
}

/** Maximum time until a process has handled the response to a call, in milliseconds. */
const UNHANDLED_MS = 500;

/**
 * True for a message in a personal chat of Teams that was being sent when its process was killed. The app cannot read
 * such chats, so the next process sends the text again.
 */
export function isUnknown(
  { channel, ts }: Shown,
  calls: readonly Called[],
  breaks: History['breaks'],
): boolean {
  const [opening, ...later] = calls.filter(({ ok }) => ok);
  const isLast = opening !== undefined && later.every(({ at }) => at <= opening.at + UNHANDLED_MS);
  if (!channel.startsWith('a:') || !isLast || opening.ts !== ts || doingOf(opening.method) !== 'opens')
    return false;
  const { at, doneAt } = opening;
  const handled = Number.isFinite(doneAt) ? doneAt + UNHANDLED_MS : Number.POSITIVE_INFINITY;
  return breaks.some((broke) => broke >= at && broke <= handled);
}
