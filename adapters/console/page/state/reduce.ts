import type { ConsoleState, MessageView, RoomPage, ThreadPage } from '../../wire.ts';
import { announce, isNew } from './announce.ts';
import { fold, foldMessage, foldWaiting, putRoom } from './fold.ts';
import { put } from './messages.ts';
import { type Action, emptyState, type Loaded, loadKey, type PageState, type Place } from './model.ts';
import { withFresh, withRead, withUnread } from './unread.ts';

/** Applies an action to the state. Pure. */
export function reduce(state: PageState, action: Action): PageState {
  switch (action.type) {
    case 'began':
      return { ...begin(action.state, action.who, action.place), slow: state.slow, hidden: state.hidden };
    case 'renewed':
      return renew(state, action.state, action.pages);
    case 'link':
      return withLink(state, action.link);
    case 'reached':
      return withoutFailures(state);
    case 'events':
      return action.events.reduce(fold, state);
    case 'unread':
      return withUnread(state, action.view);
    case 'read':
      return withRead(state, action.place);
    case 'speaks':
      return { ...state, who: action.who, unread: {}, fresh: [] };
    case 'hidden':
      return withFresh({ ...state, hidden: action.hidden }, action.hidden);
    case 'kept':
      return withKept(state, action.message);
    case 'room-added':
      return { ...state, rooms: putRoom(state.rooms, action.room) };
    case 'loaded':
      return { ...state, loaded: withLoaded(state.loaded, action.key, action.loaded) };
    case 'page':
      return withPage(state, action.page);
    case 'earlier':
      return withEarlier(state, action.page);
    case 'place':
      return goTo(state, action.place);
    case 'view':
      return { ...state, ...action.view };
  }
}

function goTo(state: PageState, place: Place): PageState {
  const same = place.room === state.place.room;
  const panel = same && place.thread === state.place.thread ? state.panel : undefined;
  return withFresh({ ...state, panel, place, found: undefined }, same);
}

/** Records whether the page is connected. */
function withLink(state: PageState, link: PageState['link']): PageState {
  if (state.link === link) return state;
  const next = { ...state, link };
  return state.link === 'lost' && link === 'open' ? withoutFailures(next) : next;
}

/** Removes the errors from the time when the server could not be reached, so that failed loads are tried again. */
function withoutFailures(state: PageState): PageState {
  const kept = Object.entries(state.loaded).filter(([, one]) => typeof one !== 'object' || one.gone);
  const toast = state.toast?.tone === 'error' ? undefined : state.toast;
  return { ...state, toast, loaded: Object.fromEntries(kept), reconnects: state.reconnects + 1 };
}

function withKept(state: PageState, message: MessageView): PageState {
  const next = foldMessage(state, message);
  return message.edited ? next : { ...next, sent: message.id };
}

function begin({ rooms, seq, ...setup }: ConsoleState, who: string, place: Place): PageState {
  return { ...emptyState, phase: 'ready', setup, rooms, seq, who, place };
}

/** After a `reload`, replaces all messages by those just loaded, then applies the events that have arrived since. */
function renew(state: PageState, fresh: ConsoleState, pages: readonly (RoomPage | ThreadPage)[]): PageState {
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

function withLoaded(loaded: PageState['loaded'], key: string, value: Loaded | undefined) {
  const { [key]: _, ...others } = loaded;
  return value === undefined ? others : { ...others, [key]: value };
}

/** Messages on a full page from the server. After a page with fewer, there are no older messages. */
const PAGE_MESSAGES = 200;

/** Adds the messages of a page, then applies the events that waited for it. */
function withPage(state: PageState, page: RoomPage | ThreadPage): PageState {
  const loaded = withLoaded(state.loaded, keyOf(page), 'known');
  return foldWaiting({ ...withEarlier(state, page), loaded });
}

function withEarlier(state: PageState, page: RoomPage | ThreadPage): PageState {
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
