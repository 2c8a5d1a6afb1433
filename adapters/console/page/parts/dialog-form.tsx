import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../net/api.ts';
import { show } from '../state/store.ts';
import { IconButton } from './controls.tsx';
import { useReturnedFocus } from './focus.ts';
import { Icon, type IconName } from './icons.tsx';
import { Notice, useFailure } from './notice.tsx';

interface DialogFormProps {
  readonly title: string;
  /** Text of the submit button. */
  readonly action: string;
  /** False while the form cannot be sent, for example because a required field is empty. */
  readonly ready?: boolean;
  /** Called when the form is sent. If it resolves, the dialog closes; if it rejects, the dialog shows why. */
  readonly work: () => Promise<void>;
  readonly children: ComponentChildren;
}

export const close = () => show({ dialog: undefined });

const FIELDS = 'input:checked, input:not([type="radio"]), textarea';

interface ModalProps {
  readonly title: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. It focuses the first field or, without one, the last button. The browser keeps the focus inside, and
 * closes the dialog on Escape.
 */
export function Modal({ title, class: className, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useReturnedFocus();
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const field = dialog.current?.querySelector<HTMLElement>(FIELDS);
    const buttons = dialog.current?.querySelectorAll<HTMLElement>('button:not([type="submit"])') ?? [];
    (field ?? [...buttons].at(-1))?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={className} aria-label={title} onClose={close}>
      {children}
    </dialog>
  );
}

export function ModalHead({ title }: { title: string }) {
  return (
    <header>
      <h2>{title}</h2>
      <IconButton icon="close" label="Close" onClick={close} />
    </header>
  );
}

/** A form in a modal dialog. */
export function DialogForm({ title, action, ready = true, work, children }: DialogFormProps) {
  const [failure, setFailure] = useFailure();
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || !ready) return;
    setBusy(true);
    try {
      await work();
      close();
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <Modal title={title}>
      <form onSubmit={submit}>
        <ModalHead title={title} />
        {children}
        {failure && <Notice alert tone="error" text={failure} />}
        <footer>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy || !ready}>
            {action}
          </button>
        </footer>
      </form>
    </Modal>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onText: (text: string) => void;
  /** Number of lines of a larger field; absent for a field of one line. */
  readonly rows?: number;
  readonly maxLength?: number;
  readonly required?: boolean;
}

/** A text field with its label. Screen readers read the hint as a description, not as part of the name. */
export function TextField({ label, hint, onText, rows, ...attributes }: TextFieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const field = {
    id,
    'aria-describedby': hint && hintId,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onText(event.currentTarget.value),
    ...attributes,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <span class="quiet" id={hintId}>
          {hint}
        </span>
      )}
      {rows ? <textarea rows={rows} {...field} /> : <input type="text" {...field} />}
    </div>
  );
}

export interface Choice {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly icon: IconName;
}

interface ChoicesProps {
  readonly legend: string;
  readonly choices: readonly Choice[];
  readonly chosen: string | undefined;
  readonly choose: (id: string) => void;
}

/** Radio buttons. Each has a label, and a hint that describes the choice. */
export function Choices({ legend, choices, chosen, choose }: ChoicesProps) {
  const group = useId();
  return (
    <fieldset class="targets">
      <legend>{legend}</legend>
      {choices.map(({ id, label, hint, icon }, index) => (
        <label key={id} class={id === chosen ? 'chosen' : ''}>
          <input
            type="radio"
            name={group}
            value={id}
            checked={id === chosen}
            aria-labelledby={`${group}-${index}-label`}
            aria-describedby={`${group}-${index}-hint`}
            onChange={() => choose(id)}
          />
          <Icon name={icon} size={16} />
          <span class="target-name" id={`${group}-${index}-label`}>
            {label}
          </span>
          <span class="quiet" id={`${group}-${index}-hint`}>
            {hint}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
