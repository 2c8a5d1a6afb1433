import { useRef, useState } from 'preact/hooks';
import type { FileView } from '../../wire.ts';
import { sentenceOf } from '../net/api.ts';
import { newNonce, say } from '../state/acts.ts';
import { recall, remember } from '../state/memory.ts';
import { mentionsAgent } from '../state/mention.ts';
import type { RoomPlace } from '../state/model.ts';
import { roomOf } from '../state/select.ts';
import { go } from '../state/session.ts';
import { getState, orToast, useSelect } from '../state/store.ts';
import { useFailure } from './notice.tsx';

export type DraftState = ReturnType<typeof useDraft>;

/**
 * The draft for a room or thread. It survives changes of room and reloads, and is deleted once the server has the
 * message.
 */
export function useDraft(place: RoomPlace) {
  const who = useSelect((state) => state.who);
  const key = [who, place.room, place.thread ?? ''].join(' ');
  const [, wake] = useState(0);
  const [sending, setSending] = useState(false);
  const [failure, setFailure] = useFailure(key);
  const tried = useRef({ nonce: newNonce(), words: '' });
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
      // The next message is another act, even if its words are the same.
      tried.current = { nonce: newNonce(), words: '' };
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
    setText: (text: string) => change({ ...readDraft(key), text }),
    addFile: (file: FileView) => change({ ...readDraft(key), files: [...readDraft(key).files, file] }),
    dropFile: (id: string) =>
      change({ ...readDraft(key), files: readDraft(key).files.filter((file) => file.id !== id) }),
  };
}

/** Sends a text as it is, without the draft, and opens the thread of a question. */
export const sayAtOnce = (place: RoomPlace, text: string): Promise<void> =>
  orToast(async () => {
    const message = await say({ place, text, files: [], nonce: newNonce() });
    enterThread(place, message.id, text);
  });

/** Opens the thread of a question just asked in a room, because its answer appears in the thread. */
function enterThread(place: RoomPlace, message: string, text: string): void {
  const state = getState();
  const here = state.place.room === place.room && !place.thread;
  const isAsked = state.setup !== undefined && mentionsAgent(state.setup, text);
  if (here && isAsked && roomOf(state, place.room)?.kind === 'room')
    go({ room: place.room, thread: message });
}

/** A message that was not sent yet. */
interface Draft {
  readonly text: string;
  readonly files: readonly FileView[];
}

/** Maximum number of drafts. When there are more, the one that was changed longest ago is deleted. */
const MAX_DRAFTS = 100;
const KEY = 'drafts';

const noDraft: Draft = { text: '', files: [] };

let drafts: Readonly<Record<string, Draft>> | undefined;

function readDraft(key: string): Draft {
  drafts ??= stored();
  return drafts[key] ?? noDraft;
}

function writeDraft(key: string, draft: Draft): void {
  const { [key]: _, ...others } = drafts ?? stored();
  const empty = draft.text === '' && draft.files.length === 0;
  const latest = Object.entries(others).slice(-(MAX_DRAFTS - 1));
  drafts = Object.fromEntries(empty ? latest : [...latest, [key, draft]]);
  remember(KEY, JSON.stringify(drafts));
}

/** Returns the drafts in this browser's storage. Ignores damaged ones. */
function stored(): Readonly<Record<string, Draft>> {
  try {
    const read: unknown = JSON.parse(recall(KEY) ?? '{}');
    if (typeof read !== 'object' || read === null) return {};
    return Object.fromEntries(
      Object.entries(read).filter((entry): entry is [string, Draft] => isDraft(entry[1])),
    );
  } catch {
    return {};
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null || !('text' in value) || !('files' in value)) return false;
  return typeof value.text === 'string' && Array.isArray(value.files);
}
