import type { ConsoleEvent, UnreadView } from '../../wire.ts';
import type { PageState, Place, Unread } from './model.ts';
import { isOpenTo, roomOf } from './select.ts';

/** Maximum unread messages of a room that are counted, as on the server. */
const UNREAD = 100;

const none: readonly Unread[] = [];

/** Returns the unread messages of a room or, if `thread` is given, of that thread. */
export function unreadIn(state: PageState, room: string, thread?: string): readonly Unread[] {
  const all = state.unread[room] ?? none;
  return thread === undefined ? all : all.filter((one) => one.thread === thread);
}

export function unreadTotal({ unread }: PageState): number {
  return Object.values(unread).reduce((sum, { length }) => sum + length, 0);
}

/** Replaces the unread messages by those of the server, and keeps those that arrived after its count. */
export function withUnread(state: PageState, { messages, seq }: UnreadView): PageState {
  const later = Object.values(state.unread)
    .flat()
    .filter((one) => one.seq > seq);
  const known = new Set(messages.map(({ id }) => id));
  const all = [...messages.map((one) => ({ ...one, seq: 0 })), ...later.filter(({ id }) => !known.has(id))];
  const unread = Object.fromEntries(Map.groupBy(all, ({ room }) => room));
  return withFresh({ ...state, unread }, state.fresh.length > 0);
}

/** Marks the unread messages of the open room as new. The marks stay while the room is open. */
export function withFresh(state: PageState, keep = false): PageState {
  return keep ? state : { ...state, fresh: unreadIn(state, state.place.room ?? '') };
}

/** Records whether the tab is hidden. When it is shown again, the unread messages of the open room are the new ones. */
export function withHidden(state: PageState, hidden: boolean): PageState {
  return withFresh({ ...state, hidden }, hidden);
}

export function withArrived(state: PageState, event: Extract<ConsoleEvent, { type: 'message' }>): PageState {
  const { id, room: roomId, thread, author, mentions, seq } = event.message;
  const room = roomOf(state, roomId);
  const own = author.kind === 'person' && author.id === state.who;
  if (!event.arrived || own || room === undefined || !isOpenTo(room, state.who)) return state;
  const mention = mentions?.includes(state.who) ?? false;
  const others = unreadIn(state, roomId).filter((one) => one.id !== id);
  const all = [...others, { id, room: roomId, thread, mention, seq }].slice(-UNREAD);
  return { ...state, unread: { ...state.unread, [roomId]: all } };
}

/** Removes the messages of a room or a thread up to a message; without a message, all of them. */
export function withRead(state: PageState, { room = '', thread }: Place, message?: string): PageState {
  const here = unreadIn(state, room, thread);
  const upTo = message === undefined ? here.length : here.findIndex(({ id }) => id === message) + 1;
  const read = new Set(here.slice(0, upTo));
  return keepUnread(state, room, (one) => !read.has(one));
}

export function withoutMessage(state: PageState, room: string, id: string): PageState {
  return keepUnread(state, room, (one) => one.id !== id);
}

function keepUnread(state: PageState, room: string, stays: (one: Unread) => boolean): PageState {
  const all = unreadIn(state, room);
  const left = all.filter(stays);
  if (left.length === all.length) return state;
  const { [room]: _, ...others } = state.unread;
  return { ...state, unread: left.length === 0 ? others : { ...others, [room]: left } };
}
