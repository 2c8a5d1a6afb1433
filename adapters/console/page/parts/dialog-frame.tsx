import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { dispatch } from '../state/store.ts';
import { useReturnedFocus } from './focus.ts';
import { Icon } from './icons.tsx';
import { Notice } from './notice.tsx';

interface DialogFrameProps {
  readonly title: string;
  readonly action: string;
  readonly busy: boolean;
  readonly failure: string | undefined;
  readonly onSubmit: () => Promise<void>;
  readonly children: ComponentChildren;
}

export function closeDialog(): void {
  dispatch({ type: 'dialog', dialog: undefined });
}

const FIELDS = 'input:checked, input:not([type="radio"]), textarea';

/** A modal question; the browser keeps the focus inside, starting in its field, and closes it with Escape. */
export function DialogFrame({ title, action, busy, failure, onSubmit, children }: DialogFrameProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  useReturnedFocus();
  useEffect(() => {
    dialog.current?.showModal();
    const field = dialog.current?.querySelector<HTMLElement>(FIELDS);
    (field ?? cancel.current)?.focus();
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={closeDialog}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
      >
        <header>
          <h2>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={closeDialog}>
            <Icon name="close" />
          </button>
        </header>
        {children}
        {failure && <Notice alert tone="error" text={failure} />}
        <footer>
          <button type="button" ref={cancel} class="button" onClick={closeDialog}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy}>
            {action}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
