import type { TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import type { MessageView } from '../../wire.ts';
import { rewrite } from '../state/acts.ts';
import { show } from '../state/store.ts';
import { useReturnedFocus } from './focus.ts';
import { Notice, useWork } from './notice.tsx';

/** Lines of the field in a browser that cannot size it by its text. */
const MAX_ROWS = 12;

interface EditFieldProps {
  readonly message: MessageView;
  readonly text: string;
  readonly onText: (text: string) => void;
}

/** Edits a message in its place. Enter saves and Escape cancels; then the focus returns to where it was before. */
export function EditField({ message, text, onText }: EditFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const hint = useId();
  useReturnedFocus();
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, []);
  const close = () => show({ editing: undefined });
  const { run, busy, failure } = useWork(async () => {
    if (text !== message.text) await rewrite(message.id, text);
    close();
  });
  const key = (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
    const act = { Enter: run, Escape: close }[event.key];
    if (act === undefined || event.isComposing || event.shiftKey) return;
    event.preventDefault();
    void act();
  };
  return (
    <div class="edit-field">
      <textarea
        ref={field}
        rows={Math.min(text.split('\n').length, MAX_ROWS)}
        value={text}
        aria-label="Edit message"
        aria-describedby={hint}
        readOnly={busy}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={key}
      />
      {failure && <Notice alert tone="error" text={failure} />}
      <footer>
        <span class="quiet" id={hint}>
          Enter saves, Escape cancels. A question is asked again, and the new answer replaces the old one.
        </span>
        <button type="button" class="button small" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button small primary" disabled={busy} onClick={run}>
          Save
        </button>
      </footer>
    </div>
  );
}
