import { useEffect, useRef, useState } from 'preact/hooks';
import type { FileView } from '../../wire.ts';
import { sentenceOf } from '../net/api.ts';
import { newNonce, say } from '../state/acts.ts';
import { type Draft, draftKey, noDraft, readDraft, writeDraft } from '../state/drafts.ts';
import { asksSomebody } from '../state/mention.ts';
import type { Place } from '../state/model.ts';
import { roomOf } from '../state/select.ts';
import { go } from '../state/session.ts';
import { getState, useSelect } from '../state/store.ts';

export type RoomPlace = Place & { readonly room: string };

export interface DraftState {
  readonly draft: Draft;
  readonly key: string;
  readonly setText: (text: string) => void;
  readonly addFile: (file: FileView) => void;
  readonly dropFile: (id: string) => void;
  readonly sending: boolean;
  readonly failure: string | undefined;
  readonly send: () => Promise<void>;
}

/** The draft of a place: kept through switches and reloads, and let go only when the server has the message. */
export function useDraft(place: RoomPlace): DraftState {
  const who = useSelect((state) => state.who);
  const key = draftKey(who, place.room, place.thread);
  const [, wake] = useState(0);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const tried = useRef({ nonce: newNonce(), words: '' });
  const reconnects = useSelect((state) => state.reconnects);
  useEffect(() => setFailure(undefined), [key, reconnects]);
  const draft = readDraft(key);
  const change = (next: Draft) => {
    writeDraft(key, next);
    wake((count) => count + 1);
  };
  const send = async () => {
    const current = readDraft(key);
    if (sending || (current.text.trim() === '' && current.files.length === 0)) return;
    const words = JSON.stringify([key, current]);
    if (tried.current.words !== words) tried.current = { nonce: newNonce(), words };
    setSending(true);
    setFailure(undefined);
    try {
      const message = await say({ place, ...current, nonce: tried.current.nonce });
      change(noDraft);
      enterThread(place, message.id, current.text);
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
    } finally {
      setSending(false);
    }
  };
  return {
    draft,
    key,
    sending,
    failure,
    send,
    setText: (text) => change({ ...readDraft(key), text }),
    addFile: (file) => change({ ...readDraft(key), files: [...readDraft(key).files, file] }),
    dropFile: (id) =>
      change({ ...readDraft(key), files: readDraft(key).files.filter((file) => file.id !== id) }),
  };
}

/** A question asked in a room is answered in its thread, so that is where the person is taken. */
function enterThread(place: RoomPlace, message: string, text: string): void {
  const state = getState();
  const here = state.place.room === place.room && !place.thread;
  const asked = state.setup !== undefined && asksSomebody(state.setup, text);
  if (here && asked && roomOf(state, place.room)?.kind === 'room') go({ room: place.room, thread: message });
}
