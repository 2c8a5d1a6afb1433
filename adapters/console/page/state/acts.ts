import type { Acted, FileView, MessageView, NewShare } from '../../wire.ts';
import { after } from '../clock.ts';
import { api, sentenceOf } from '../net/api.ts';
import type { Place, Toast } from './model.ts';
import { go } from './session.ts';
import { dispatch, getState } from './store.ts';

const TOAST_MS = 6_000;
let calm = () => {};

/** Shows a passing word; the next one takes its place. */
export function tell(toast: Toast): void {
  calm();
  dispatch({ type: 'toast', toast });
  calm = after(TOAST_MS, () => dispatch({ type: 'toast', toast: undefined }));
}

/** A message to send, and its place. */
interface Saying {
  readonly place: Place & { readonly room: string };
  readonly text: string;
  readonly files: readonly FileView[];
  /** The same for every try of the same words, so that a try whose outcome was lost is not said twice. */
  readonly nonce: string;
}

/** Posts as the person; throws the refusal, so that the caller keeps the draft. */
export async function say({ place, text, files, nonce }: Saying): Promise<MessageView> {
  const { who } = getState();
  const message = await api.say(place.room, {
    as: who,
    text,
    files: files.map((file) => file.id),
    nonce,
    ...(place.thread ? { thread: place.thread } : {}),
  });
  dispatch({ type: 'kept', message });
  return message;
}

export function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}

export function stop(turn: string): Promise<void> {
  return act(() => api.stop(turn, { as: getState().who }));
}

export function retry(turn: string): Promise<void> {
  return act(() => api.retry(turn, { as: getState().who }));
}

export async function act(request: () => Promise<Acted>): Promise<void> {
  try {
    const { done, reason } = await request();
    if (!done) tell({ tone: 'info', text: reason ?? 'That is no longer possible.' });
  } catch (thrown) {
    tell({ tone: 'error', text: sentenceOf(thrown) });
  }
}

/** Asks a suggestion as the person, where the reply stands. */
export async function suggest(turn: string, text: string): Promise<void> {
  try {
    const message = await api.suggest(turn, { as: getState().who, text, nonce: newNonce() });
    dispatch({ type: 'kept', message });
  } catch (thrown) {
    tell({ tone: 'error', text: sentenceOf(thrown) });
  }
}

/** Shares a source; throws the refusal. */
export async function share(wanted: Omit<NewShare, 'as'>, where: string): Promise<void> {
  const message = await api.share({ as: getState().who, ...wanted });
  dispatch({ type: 'kept', message });
  const thread =
    message.thread === message.id || message.thread === 'direct' ? {} : { thread: message.thread };
  tell({ tone: 'info', text: `Shared in ${where}.`, place: { room: message.room, ...thread } });
}

export async function addRoom(name: string, topic: string): Promise<void> {
  const room = await api.addRoom({ as: getState().who, name, ...(topic ? { topic } : {}) });
  dispatch({ type: 'room-added', room });
  go({ room: room.id });
}

/** Copies text; on an address without a clipboard, by a selection. */
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
