/** Loads the unread messages, and reports to the server what the person has read. */

import { after, every } from '../clock.ts';
import { api } from '../net/api.ts';
import type { RoomPlace } from './model.ts';
import { getState, subscribe, update } from './store.ts';
import { unreadIn, unreadTotal, withHidden, withRead, withUnread } from './unread.ts';

/** Minimum time between two reports, in milliseconds. */
const REPORT_GAP_MS = 1_000;
/** Interval at which a hidden page loads the unread messages, in milliseconds, because it may receive no events. */
const HIDDEN_LOAD_MS = 60_000;

/** Loads the person's unread messages. A failure is ignored, because events and later loads bring them too. */
export async function loadUnread(): Promise<void> {
  const { who, phase } = getState();
  if (who === '' || phase !== 'ready') return;
  const view = await api.act('/unread', { as: who }).catch(() => undefined);
  if (view && getState().who === who) update((now) => withUnread(now, view));
}

/** Shows the number of unread messages in the page's title. Must be called only once. */
export function attachUnread(): void {
  subscribe(() => {
    const total = unreadTotal(getState());
    const title = total === 0 ? 'Parley' : `(${total > 99 ? '99+' : total}) Parley`;
    if (document.title !== title) document.title = title;
  });
  const look = () => update((now) => withHidden(now, document.hidden));
  document.addEventListener('visibilitychange', look);
  every(HIDDEN_LOAD_MS, () => document.hidden && void loadUnread());
}

/** The newest message that was read in each place, and not reported yet. */
const waiting = new Map<string, RoomPlace & { readonly message: string }>();
let isPausing = false;

/** Marks the messages of a room or a thread as read, here and on the server. */
export function markRead(place: RoomPlace): void {
  const last = unreadIn(getState(), place.room, place.thread).at(-1);
  if (!last) return;
  update((now) => withRead(now, place));
  waiting.set(JSON.stringify(place), { ...place, message: last.id });
  if (!isPausing) report();
}

function report(): void {
  const { who: as } = getState();
  for (const position of waiting.values()) void api.act('/read', { as, ...position }).catch(() => undefined);
  isPausing = waiting.size > 0;
  waiting.clear();
  if (isPausing) after(REPORT_GAP_MS, report);
}
