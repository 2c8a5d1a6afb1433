import type { ConsoleEvent, MessageView, RoomView } from '../../wire.ts';
import { announce } from './announce.ts';
import { applyReply, put } from './messages.ts';
import { loadKey, type PageState } from './model.ts';

type ReplyEvent = Extract<ConsoleEvent, { type: 'reply' }>;

/** Missed changes kept; beyond it the oldest are forgotten with their threads, which are then read again. */
const MISSED_MOST = 500;

/** One event of the stream into the state. Events that the state already holds change nothing. */
export function fold(state: PageState, event: ConsoleEvent): PageState {
  const next = { ...state, seq: Math.max(state.seq, event.seq) };
  switch (event.type) {
    case 'hello':
      return next;
    case 'reload':
      return { ...next, seq: event.seq, stale: true };
    case 'room':
      return { ...next, rooms: putRoom(state.rooms, event.room) };
    case 'message':
      return foldMessage(next, event.message);
    case 'reply':
      return foldReply(next, event);
  }
}

/** A room over its older self, or last. */
export function putRoom(rooms: readonly RoomView[], room: RoomView): readonly RoomView[] {
  const index = rooms.findIndex((one) => one.id === room.id);
  return index < 0 ? [...rooms, room] : rooms.with(index, room);
}

export function foldMessage(state: PageState, message: MessageView): PageState {
  const held = state.messages[message.room] ?? [];
  const known = held.some((one) => one.id === message.id);
  const away = state.place.room !== message.room && message.author.id !== state.who;
  const unread = known || !away ? state.unread : counted(state.unread, message.room);
  return { ...state, unread, messages: { ...state.messages, [message.room]: put(held, message) } };
}

function counted(unread: PageState['unread'], room: string): PageState['unread'] {
  return { ...unread, [room]: (unread[room] ?? 0) + 1 };
}

function foldReply(state: PageState, event: ReplyEvent): PageState {
  const held = state.messages[event.room] ?? [];
  const index = held.findLastIndex((one) => one.id === event.id);
  const message = held[index];
  if (message && message.seq >= event.seq) return state;
  const changed = message && !state.stale ? applyReply(message, event) : undefined;
  if (!changed) return miss(state, event);
  const messages = { ...state.messages, [event.room]: held.with(index, changed) };
  return { ...state, messages, announcement: announce(state, message, changed) };
}

/** A change that does not fit: remembered by number, and the pages that hold its message are asked for again. */
function miss(state: PageState, event: ReplyEvent): PageState {
  const room = loadKey(event.room);
  const thread = loadKey(event.room, event.thread);
  const kept = Object.entries(state.missed).slice(-MISSED_MOST);
  return {
    ...state,
    missed: { ...Object.fromEntries(kept), [event.id]: event.seq },
    loaded: forget(forget(state.loaded, thread), event.thread === 'direct' ? room : thread),
  };
}

/** What is on its way is let arrive: it is compared with `missed` then. */
function forget(loaded: PageState['loaded'], key: string): PageState['loaded'] {
  if (loaded[key] !== 'known') return loaded;
  const { [key]: _, ...others } = loaded;
  return others;
}
