import type { MessageView, ReplyView, Thumb } from '../../wire.ts';
import { api, sentenceOf } from '../net/api.ts';
import { act, newNonce, tell } from './acts.ts';
import { go } from './session.ts';
import { dispatch, getState } from './store.ts';

const me = () => ({ as: getState().who });

export function regenerate(turn: string): Promise<void> {
  return act(() => api.regenerate(turn, me()));
}

export function showVersion(turn: string, edition: number): Promise<void> {
  return act(() => api.show(turn, { ...me(), edition, nonce: newNonce() }));
}

export function askAnother(turn: string, agent: string): Promise<void> {
  return act(() => api.askAnother(turn, { ...me(), agent, nonce: newNonce() }));
}

/** Asks in the person's own conversation with the agent, and goes there. */
export async function askAsMe(turn: string): Promise<void> {
  try {
    const message = await api.askAsMe(turn, { ...me(), nonce: newNonce() });
    dispatch({ type: 'kept', message });
    go({ room: message.room });
  } catch (thrown) {
    tell({ tone: 'error', text: sentenceOf(thrown) });
  }
}

/** Pressing the same thumb again takes it back; a thumbs-down that was counted asks why. */
export async function judge(reply: ReplyView, thumb: Thumb): Promise<void> {
  const { who } = getState();
  const verdict = reply.thumbs?.[who] === thumb ? 'none' : thumb;
  let counted = false;
  await act(async () => {
    const acted = await api.judge(reply.turn, { ...me(), verdict });
    counted = acted.done;
    return acted;
  });
  if (counted && verdict === 'down') dispatch({ type: 'dialog', dialog: { kind: 'note', turn: reply.turn } });
}

/** Throws the refusal. */
export async function addNote(turn: string, note: string): Promise<void> {
  await api.judge(turn, { ...me(), verdict: 'down', note });
  tell({ tone: 'info', text: 'Thank you. Your comment is kept for the operator.' });
}

/** Throws the refusal. */
export async function rewrite(id: string, text: string): Promise<void> {
  const message = await api.rewrite(id, { ...me(), text });
  dispatch({ type: 'kept', message });
}

/** Throws the refusal. */
export async function remove(message: MessageView): Promise<void> {
  await api.remove(message.id, me());
  if (getState().place.thread === message.id) go({ room: message.room });
}
