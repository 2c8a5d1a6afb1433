import type { ConsoleEvent, MessageView, RoomView } from '../../wire.ts';
import { announce, isNew } from './announce.ts';
import { applyReply, put } from './messages.ts';
import { DIRECT, loadKey, type PageState } from './model.ts';
import { withArrived, withoutMessage, withRead } from './unread.ts';

type ReplyEvent = Extract<ConsoleEvent, { type: 'reply' }>;

/**
 * Maximum events held while messages load. When there are more, the oldest are dropped, and replies that miss events
 * are loaded again.
 */
const MAX_WAITING = 5_000;

/** Applies an event to the state. An event whose change is already in the state has no effect. */
export function fold(state: PageState, event: ConsoleEvent): PageState {
  if (event.type === 'reload') return { ...state, seq: event.seq, stale: true, waiting: [] };
  const next = { ...state, seq: Math.max(state.seq, event.seq) };
  if (state.stale) return hold(next, event);
  switch (event.type) {
    case 'hello':
      return next;
    case 'read':
      return event.person === state.who ? withRead(next, event, event.message) : next;
    case 'room':
      return withRoom(next, event.room);
    case 'left':
      return foldLeft(next, event);
    case 'message':
      return foldMessage(withArrived(next, event), event.message);
    case 'removed':
      return foldRemoved(next, event);
    case 'reply':
      return foldReply(next, event);
  }
}

/**
 * Applies the events that were held while messages loaded. An event for messages that are not loaded yet is held again.
 */
export function foldWaiting(state: PageState): PageState {
  return state.waiting.reduce(fold, { ...state, waiting: [] });
}

function hold(state: PageState, event: ConsoleEvent): PageState {
  return { ...state, waiting: [...state.waiting, event].slice(-MAX_WAITING) };
}

/** Replaces the room with this id, or adds it at the end. */
export function withRoom(state: PageState, room: RoomView): PageState {
  const index = state.rooms.findIndex((one) => one.id === room.id);
  return { ...state, rooms: index < 0 ? [...state.rooms, room] : state.rooms.with(index, room) };
}

export function foldMessage(state: PageState, message: MessageView): PageState {
  const held = state.messages[message.room] ?? [];
  const known = held.some((one) => one.id === message.id);
  const messages = { ...state.messages, [message.room]: put(held, message) };
  const next = { ...state, messages };
  return messages[message.room]?.includes(message)
    ? announce(next, message, !known && isNew(held, message))
    : next;
}

function foldRemoved(before: PageState, { room, id }: Extract<ConsoleEvent, { type: 'removed' }>): PageState {
  const state = withoutMessage(before, room, id);
  const held = state.messages[room];
  if (!held) return state;
  const messages = { ...state.messages, [room]: held.filter((one) => one.id !== id) };
  // If the open thread was deleted, show its room.
  const place = state.place.thread === id ? { room } : state.place;
  return { ...state, messages, place };
}

/** Removes a room. Without a sign-in, a private room stays, because the page may speak as another member. */
function foldLeft(state: PageState, { room, person }: Extract<ConsoleEvent, { type: 'left' }>): PageState {
  const left = state.rooms.find(({ id }) => id === room);
  if (left?.members && state.setup?.me !== person) return state;
  const rooms = state.rooms.filter((one) => one !== left);
  const { [room]: _, ...messages } = state.messages;
  return { ...state, rooms, messages };
}

function foldReply(state: PageState, event: ReplyEvent): PageState {
  const held = state.messages[event.room] ?? [];
  const index = held.findLastIndex((one) => one.id === event.id);
  const message = held[index];
  if (message && message.seq >= event.seq) return state;
  const changed = message && applyReply(message, event);
  if (!changed) return handleMissing(state, event);
  const messages = { ...state.messages, [event.room]: held.with(index, changed) };
  return announce({ ...state, messages }, changed, false);
}

/**
 * Handles a change that cannot be applied, because the message, or its text before the change, is not loaded. If
 * messages of the room or thread are loading, holds the change until they have arrived; otherwise lets the page load
 * these messages again.
 */
function handleMissing(state: PageState, event: ReplyEvent): PageState {
  const room = loadKey(event.room);
  const page = event.thread === DIRECT ? room : loadKey(event.room, event.thread);
  const remaining = (state.messages[event.room] ?? []).filter((one) => one.id !== event.id);
  const clean = { ...state, messages: { ...state.messages, [event.room]: remaining } };
  if (state.loaded[page] === 'asked' || state.loaded[room] === 'asked') return hold(clean, event);
  const { [page]: _, ...loaded } = state.loaded;
  return { ...clean, loaded };
}
