import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Renders the input with these attributes. */
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}

interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
}

/** A field with its label. The hint describes the field and is no part of its name. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <span class="quiet" id={hintId}>
          {hint}
        </span>
      )}
      {children({ id, ...(hint && { 'aria-describedby': hintId }) })}
    </div>
  );
}

interface Choice {
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

/** One of several; each choice is named by its label and described by its hint. */
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
