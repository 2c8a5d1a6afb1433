import type {
  Acted,
  FileView,
  MessageView,
  NewCorrection,
  NewRoom,
  NewShare,
  Presses,
  ReplyView,
  Thumb,
} from '../../wire.ts';
import { api, sentenceOf } from '../net/api.ts';
import { DIRECT, type RoomPlace } from './model.ts';
import { go } from './session.ts';
import { dispatch, getState, show, showToast } from './store.ts';

export const me = () => ({ as: getState().who });

/** Makes a request. If it is refused, shows the reason in a toast. */
export async function orToast(request: () => Promise<void>): Promise<void> {
  try {
    await request();
  } catch (thrown) {
    showToast({ tone: 'error', text: sentenceOf(thrown) });
  }
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
  const message = await api.say(room, { ...me(), text, files: ids, nonce, ...(thread && { thread }) });
  dispatch({ type: 'kept', message });
  return message;
}

/** Returns a random id. Does not use `crypto.randomUUID`, which browsers do not offer on plain HTTP. */
export function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Presses a button under a reply. If the server refuses the press, shows the reason in a toast. */
export function press<P extends keyof Presses>(turn: string, button: P, more: Presses[P]) {
  return orToast(async () => {
    showRefusal(await api.press(turn, button, { ...me(), ...more }));
  });
}

function showRefusal({ done, reason }: Acted): void {
  if (!done) showToast({ tone: 'info', text: reason ?? 'That is no longer possible.' });
}

/**
 * Rates an answer. A second press on the same thumb removes the rating. After a thumbs-down, opens a form for the
 * reason.
 */
export function judge({ turn, thumbs }: ReplyView, thumb: Thumb): Promise<void> {
  const { as } = me();
  const verdict = thumbs?.[as] === thumb ? 'none' : thumb;
  return orToast(async () => {
    const acted = await api.press(turn, 'feedback', { as, verdict });
    showRefusal(acted);
    if (acted.done && verdict === 'down') show({ dialog: { kind: 'note', turn } });
  });
}

/** Adds a note to a thumbs-down. Throws if the server refuses it. */
export async function addNote(turn: string, note: string): Promise<void> {
  await api.press(turn, 'feedback', { ...me(), verdict: 'down', note });
  showToast({ tone: 'info', text: 'Thank you. Your comment is saved for the operator.' });
}

/** Asks a suggested question as the person, in the reply's thread. */
export function suggest(turn: string, text: string): Promise<void> {
  return orToast(async () => {
    const message = await api.suggest(turn, { ...me(), text, nonce: newNonce() });
    dispatch({ type: 'kept', message });
  });
}

/** Asks the question in the person's own conversation with the agent, and opens that conversation. */
export function askAsMe(turn: string): Promise<void> {
  return orToast(async () => {
    const message = await api.askAsMe(turn, { ...me(), nonce: newNonce() });
    dispatch({ type: 'kept', message });
    go({ room: message.room });
  });
}

/** Opens the form for a correction. If the person cannot correct the answer, shows the reason in a toast. */
export function openCorrection(turn: string): Promise<void> {
  return orToast(async () => {
    const form = await api.correction(turn, me());
    show({ dialog: { kind: 'correct', turn, form } });
  });
}

/** Stores a corrected answer. Throws if the server refuses it. */
export async function correct(turn: string, wording: Omit<NewCorrection, 'as'>): Promise<void> {
  const { sentence } = await api.correct(turn, { ...me(), ...wording });
  showToast({ tone: 'info', text: sentence });
}

/** Replaces the text of the person's message. Throws if the server refuses it. */
export async function rewrite(id: string, text: string): Promise<void> {
  const message = await api.rewrite(id, { ...me(), text });
  dispatch({ type: 'kept', message });
}

/** Deletes the person's message. Throws if the server refuses it. */
export async function remove({ id, room }: MessageView): Promise<void> {
  await api.remove(id, me());
  if (getState().place.thread === id) go({ room });
}

/** Shares a source or an answer. Throws if the server refuses it. */
export async function share(wanted: Omit<NewShare, 'as'>, where: string): Promise<void> {
  const message = await api.share({ ...me(), ...wanted });
  dispatch({ type: 'kept', message });
  const { room, thread, id } = message;
  const place = thread === id || thread === DIRECT ? { room } : { room, thread };
  showToast({ tone: 'info', text: `Shared in ${where}.`, place });
}

export async function addRoom(wanted: Omit<NewRoom, 'as'>): Promise<void> {
  const room = await api.addRoom({ ...me(), ...wanted });
  dispatch({ type: 'room-added', room });
  go({ room: room.id });
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
