import type { ConsoleState, MessageView, RoomPage, ThreadPage } from '../../wire.ts';
import { announce, isNew } from './announce.ts';
import { foldMessage, foldWaiting } from './fold.ts';
import { put } from './messages.ts';
import { emptyState, type Loaded, loadKey, type PageState, type Place } from './model.ts';
import { withFresh } from './unread.ts';

/** The changes of the state when the page starts, loads or goes elsewhere. Pure. */

/** Begins with the server's state; `rooms` and `seq` change later. */
export function withSetup(state: PageState, fresh: ConsoleState, who: string, place: Place): PageState {
  const { rooms, seq, ...setup } = fresh;
  const { slow, hidden } = state;
  return { ...emptyState, slow, hidden, phase: 'ready', setup, rooms, seq, who, place };
}

export function goTo(state: PageState, place: Place): PageState {
  const same = place.room === state.place.room;
  const panel = same && place.thread === state.place.thread ? state.panel : undefined;
  return withFresh({ ...state, panel, place, found: undefined }, same);
}

export function withPerson(state: PageState, who: string): PageState {
  return { ...state, who, unread: {}, fresh: [] };
}

/** Records whether the page is connected. */
export function withLink(state: PageState, link: PageState['link']): PageState {
  if (state.link === link) return state;
  const next = { ...state, link };
  return state.link === 'lost' && link === 'open' ? withoutFailures(next) : next;
}

/** Removes the errors from the time when the server could not be reached, so that failed loads are tried again. */
export function withoutFailures(state: PageState): PageState {
  const loaded = Object.entries(state.loaded).filter(([, one]) => typeof one !== 'object' || one.gone);
  const toast = state.toast?.tone === 'error' ? undefined : state.toast;
  return { ...state, toast, loaded: Object.fromEntries(loaded), reconnects: state.reconnects + 1 };
}

/** Adds a message that the person has sent or edited. */
export function withKept(state: PageState, message: MessageView): PageState {
  const next = foldMessage(state, message);
  return message.edited ? next : { ...next, sent: message.id };
}

/** After a `reload`, replaces all messages by those just loaded, then applies the events that have arrived since. */
export function withRenewed(
  state: PageState,
  fresh: ConsoleState,
  pages: readonly (RoomPage | ThreadPage)[],
): PageState {
  const { waiting } = state;
  const { rooms, seq: _, ...setup } = fresh;
  const clean = { ...state, setup, rooms, stale: false, loaded: {}, messages: {}, waiting: [], unread: {} };
  const arrived = pages
    .flatMap((page) => page.messages)
    .filter((one) => isMissed(state, one) && !isAhead(clean, one));
  const renewed = pages.reduce(withPage, clean);
  return foldWaiting({ ...arrived.reduce((next, one) => announce(next, one, true), renewed), waiting });
}

/** True if the page missed the reply's arrival because it was not connected. */
function isMissed({ messages }: PageState, message: MessageView): boolean {
  const held = messages[message.room] ?? [];
  return !held.some((one) => one.id === message.id) && isNew(held, message);
}

/** Stores the state of loading a room or thread. Without one, it is loaded again. */
export function withLoaded(state: PageState, key: string, value?: Loaded): PageState {
  const { [key]: _, ...others } = state.loaded;
  return { ...state, loaded: value === undefined ? others : { ...others, [key]: value } };
}

/** Messages on a full page from the server. After a page with fewer, there are no older messages. */
const PAGE_MESSAGES = 200;

/** Adds the messages of a page, then applies the events that waited for it. */
export function withPage(state: PageState, page: RoomPage | ThreadPage): PageState {
  return foldWaiting(withLoaded(withEarlier(state, page), keyOf(page), 'known'));
}

/** Adds the messages of a page. */
export function withEarlier(state: PageState, page: RoomPage | ThreadPage): PageState {
  const room = page.room.id;
  const messages = { ...state.messages, [room]: page.messages.reduce(put, state.messages[room] ?? []) };
  const earlier = { ...state.earlier, [keyOf(page)]: page.messages.length >= PAGE_MESSAGES };
  const next = { ...state, messages, earlier };
  return page.messages.reduce((heard, message) => announce(heard, message, isAhead(state, message)), next);
}

/**
 * True if the message is newer than the last event. On a busy machine, events may arrive after the message was loaded.
 */
function isAhead({ seq, messages }: PageState, message: MessageView): boolean {
  const held = messages[message.room]?.find((one) => one.id === message.id);
  return message.seq > Math.max(seq, held?.seq ?? 0);
}

function keyOf(page: RoomPage | ThreadPage): string {
  return loadKey(page.room.id, 'thread' in page ? page.thread : undefined);
}
