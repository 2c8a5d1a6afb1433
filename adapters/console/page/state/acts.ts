import type { RequestBodies } from '../../bodies.ts';
import type { Acted, FileView, MessageView, Press, ReplyView, RoomView, Thumb, Views } from '../../wire.ts';
import { api } from '../net/api.ts';
import { withKept } from './changes.ts';
import { withRoom } from './fold.ts';
import { DIRECT, type RoomPlace } from './model.ts';
import { roomsFor } from './select.ts';
import { go } from './session.ts';
import { getState, orToast, showToast, update } from './store.ts';

type Wanted<P extends keyof Views> = Omit<RequestBodies[P], 'as'>;

/** Makes a request in the person's name. */
export function act<P extends keyof Views>(path: P, body: Wanted<P>, id?: string): Promise<Views[P]> {
  return api.act(path, { as: getState().who, ...body }, id);
}

/** A message to send, with its room and thread. */
interface Saying {
  readonly place: RoomPlace;
  readonly text: string;
  readonly files: readonly FileView[];
  /**
   * Idempotency key. It stays the same when the message is sent again, so that a lost response does not lead to a
   * second message.
   */
  readonly nonce: string;
}

/** Posts a message as the person. Throws if the server refuses it, so that the caller keeps the draft. */
export async function say({ place: { room, thread }, text, files, nonce }: Saying): Promise<MessageView> {
  const ids = files.map((file) => file.id);
  const message = await act(
    '/rooms/:id/messages',
    { text, files: ids, nonce, ...(thread && { thread }) },
    room,
  );
  update((now) => withKept(now, message));
  return message;
}

/** Returns a random id. Does not use `crypto.randomUUID`, which browsers do not offer on plain HTTP. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Presses a button under a reply. If the server refuses the press, shows the reason in a toast. */
export function press<P extends Press>(turn: string, button: P, more: Wanted<`/replies/:id/${P}`>) {
  return orToast(async () => {
    showRefusal(await act(`/replies/:id/${button}`, more, turn));
  });
}

function showRefusal({ done, reason }: Acted): void {
  if (!done) showToast({ tone: 'info', text: reason ?? 'That is no longer possible.' });
}

/**
 * Rates an answer. A second press on the same thumb removes the rating.
 * @param askWhy called after a thumbs-down
 */
export function judge({ turn, thumbs }: ReplyView, thumb: Thumb, askWhy: () => void): Promise<void> {
  const verdict = thumbs?.[getState().who] === thumb ? 'none' : thumb;
  return orToast(async () => {
    const acted = await act('/replies/:id/feedback', { verdict }, turn);
    showRefusal(acted);
    if (acted.done && verdict === 'down') askWhy();
  });
}

/** Adds a note to a thumbs-down. Throws if the server refuses it. */
export async function addNote(turn: string, note: string): Promise<void> {
  await act('/replies/:id/feedback', { verdict: 'down', note }, turn);
  showToast({ tone: 'info', text: 'Thank you. Your comment is saved for the operator.' });
}

/** Asks a suggested question as the person, in the reply's thread. */
export function suggest(turn: string, text: string): Promise<void> {
  return orToast(async () => {
    const message = await act('/replies/:id/suggest', { text, nonce: newNonce() }, turn);
    update((now) => withKept(now, message));
  });
}

/** Asks the question in the person's own conversation with the agent, and opens that conversation. */
export function askAsMe(turn: string): Promise<void> {
  return orToast(async () => {
    const message = await act('/replies/:id/ask-me', { nonce: newNonce() }, turn);
    update((now) => withKept(now, message));
    go({ room: message.room });
  });
}

/** Stores a corrected answer. Throws if the server refuses it. */
export async function correct(turn: string, wording: Wanted<'/replies/:id/correct'>): Promise<void> {
  const { sentence } = await act('/replies/:id/correct', wording, turn);
  showToast({ tone: 'info', text: sentence });
}

/** Replaces the text of the person's message. Throws if the server refuses it. */
export async function rewrite(id: string, text: string): Promise<void> {
  const message = await act('/messages/:id/edit', { text }, id);
  update((now) => withKept(now, message));
}

/** Deletes the person's message. Throws if the server refuses it. */
export async function remove({ id, room }: MessageView): Promise<void> {
  await act('/messages/:id/delete', {}, id);
  if (getState().place.thread === id) go({ room });
}

/** Shares a source or an answer. Throws if the server refuses it. */
export async function share(wanted: Wanted<'/shares'>, where: string): Promise<void> {
  const message = await act('/shares', wanted);
  update((now) => withKept(now, message));
  const { room, thread, id } = message;
  const place = thread === id || thread === DIRECT ? { room } : { room, thread };
  showToast({ tone: 'info', text: `Shared in ${where}.`, place });
}

export async function addRoom(wanted: Wanted<'/rooms'>): Promise<void> {
  const room = await act('/rooms', wanted);
  update((now) => withRoom(now, room));
  go({ room: room.id });
}

/** Changes a room, or the title of a conversation. Throws if the server refuses it. */
export async function changeRoom(id: string, change: Wanted<'/rooms/:id/change'>): Promise<void> {
  const room = await act('/rooms/:id/change', change, id);
  update((now) => withRoom(now, room));
}

export const archive = (id: string, archived: boolean): Promise<void> =>
  orToast(() => changeRoom(id, { archived }));

/** Adds a member. Throws if the server refuses it. */
export async function invite(id: string, person: string): Promise<void> {
  const room = await act('/rooms/:id/invite', { person }, id);
  update((now) => withRoom(now, room));
}

export function removeMember(id: string, person: string): Promise<void> {
  return orToast(async () => void (await act('/rooms/:id/remove', { person }, id)));
}

/** Leaves a room. Throws if the server refuses it. */
export async function leave(id: string): Promise<void> {
  await act('/rooms/:id/remove', { person: getState().who }, id);
  const [first] = roomsFor(getState()).rooms.filter((room) => room.id !== id);
  go(first ? { room: first.id } : {});
}

/** Opens a conversation with the agent that has no messages. */
export function converse(agent: string): Promise<void> {
  return orToast(async () => {
    const room = await act('/conversations', { agent });
    update((now) => withRoom(now, room));
    go({ room: room.id });
  });
}

/** Deletes a conversation. Throws if the server refuses it. */
export async function deleteConversation({ id, person, agent }: RoomView): Promise<void> {
  await act('/rooms/:id/delete', {}, id);
  go({ room: `direct~${person}~${agent}` });
}

/** Copies a text. If the clipboard cannot be used, copies through a selection. Resolves with false if both fail. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}
