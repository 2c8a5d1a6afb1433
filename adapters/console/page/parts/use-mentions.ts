import type { TargetedKeyboardEvent } from 'preact';
import { useId, useState } from 'preact/hooks';
import {
  type Candidate,
  candidatesFor,
  completeMention,
  type MentionQuery,
  mentionAt,
} from '../state/mention.ts';
import { openRoom } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { useListbox } from './listbox.tsx';

const none: readonly Candidate[] = [];

/**
 * Completes a mention that is being typed. Returns the matching names, the selected one, and event handlers for the
 * field and the list.
 */
export function useMentions(setText: (text: string) => void) {
  const setup = useSelect((state) => state.setup);
  const room = useSelect(openRoom);
  const who = useSelect((state) => state.who);
  const [query, setQuery] = useState<MentionQuery>();
  const candidates = query && setup ? candidatesFor(setup, query.text, room, who) : none;
  const list = useListbox(useId(), candidates.length);
  const close = () => setQuery(undefined);

  /** Looks for a mention at the caret, after each input and each move of the caret. */
  const look = (field: HTMLTextAreaElement) => {
    const found = mentionAt(field.value, field.selectionStart);
    if (found?.text !== query?.text) list.setActive(0);
    setQuery(found);
  };
  const choose = (field: HTMLTextAreaElement, index: number) => {
    const candidate = candidates[index];
    if (!candidate || !query) return;
    const next = completeMention(field.value, field.selectionStart, query, candidate.name);
    field.value = next.text;
    field.setSelectionRange(next.caret, next.caret);
    field.focus();
    setText(next.text);
    close();
  };
  /** Handles keys while the list of names is open. Returns false for a key that it does not use. */
  const key = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    if (candidates.length === 0) return false;
    if (event.key === 'Enter' || event.key === 'Tab') choose(event.currentTarget, list.active);
    else if (event.key === 'Escape') close();
    else if (!list.move(event)) return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return { candidates, list, look, choose, key, close };
}
