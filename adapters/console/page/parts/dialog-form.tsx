import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { show } from '../state/store.ts';
import { IconButton } from './controls.tsx';
import { useReturnedFocus } from './focus.ts';
import { Icon, type IconName } from './icons.tsx';
import { Notice, useWork } from './notice.tsx';

/** Returns the text of the form's field with this name, without the spaces around it. */
type Values = (name: string) => string;

export type DialogWork = (values: Values) => Promise<unknown>;

interface DialogFormProps {
  readonly title: string;
  /** Text of the submit button. */
  readonly action: string;
  /** False if the form cannot be sent, whatever its fields contain. */
  readonly able?: boolean;
  /** Called when the form is sent. If it resolves, the dialog closes; if it rejects, the dialog shows why. */
  readonly work: DialogWork;
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

/** A form in a modal dialog. It can be sent once all required fields are filled. */
export function DialogForm({ title, action, able = true, work, children }: DialogFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [ready, setReady] = useState(true);
  const { run, busy, failure } = useWork(async () => {
    if (!form.current || !able || !isFilled(form.current)) return;
    const data = new FormData(form.current);
    await work((name) => String(data.get(name) ?? '').trim());
    close();
  });
  useLayoutEffect(() => setReady(isFilled(form.current)));
  const submit = (event: Event) => {
    event.preventDefault();
    void run();
  };
  return (
    <Modal title={title}>
      <form ref={form} onSubmit={submit} onInput={() => setReady(isFilled(form.current))}>
        <ModalHead title={title} />
        {children}
        {failure && <Notice alert tone="error" text={failure} />}
        <footer>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={busy || !ready || !able}>
            {action}
          </button>
        </footer>
      </form>
    </Modal>
  );
}

function isFilled(form: HTMLFormElement | null): boolean {
  const required = form?.querySelectorAll<HTMLInputElement>(':required') ?? [];
  return [...required].every(({ value, validity }) => value.trim() !== '' && validity.valid);
}

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly name: string;
  /** Text of the field when the dialog opens. */
  readonly value?: string;
  readonly onText?: (text: string) => void;
  /** Number of lines of a larger field; absent for a field of one line. */
  readonly rows?: number;
  readonly maxLength?: number;
  readonly required?: boolean;
}

/** A text field with its label. Screen readers read the hint as a description, not as part of the name. */
export function TextField({ label, hint, value, onText, rows, ...attributes }: TextFieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const field = {
    id,
    'aria-describedby': hint && hintId,
    defaultValue: value,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      onText?.(event.currentTarget.value),
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
  readonly name: string;
  readonly choices: readonly Choice[];
  /** Id of the choice when the dialog opens; if absent, none is chosen. */
  readonly chosen?: string | undefined;
  readonly choose?: (id: string) => void;
}

/** Radio buttons, of which one must be chosen. Each has a label, and a hint that describes the choice. */
export function Choices({ legend, name, choices, chosen, choose }: ChoicesProps) {
  const group = useId();
  return (
    <fieldset class="targets">
      <legend>{legend}</legend>
      {choices.map(({ id, label, hint, icon }, index) => (
        <label key={id}>
          <input
            type="radio"
            name={name}
            value={id}
            required
            defaultChecked={id === chosen}
            aria-labelledby={`${group}-${index}-label`}
            aria-describedby={`${group}-${index}-hint`}
            onChange={() => choose?.(id)}
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
