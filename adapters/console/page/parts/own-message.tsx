import { useState } from 'preact/hooks';
import type { MessageView } from '../../wire.ts';
import { sentenceOf } from '../net/api.ts';
import { remove, rewrite } from '../state/reply-acts.ts';
import { dispatch, useSelect } from '../state/store.ts';
import { closeDialog, DialogFrame } from './dialog-frame.tsx';
import { Field } from './fields.tsx';
import { Icon } from './icons.tsx';

/** Buttons under a message of the person's own. */
export function OwnTools({ message }: { message: MessageView }) {
  const mine = useSelect(({ who }) => message.author.kind === 'person' && message.author.id === who);
  if (!mine || message.deleted || message.shared) return null;
  return (
    <div class="own-tools">
      <Tool message={message} kind="edit" label="Edit message" icon="pen" />
      <Tool message={message} kind="delete" label="Delete message" icon="bin" />
    </div>
  );
}

interface ToolProps {
  readonly message: MessageView;
  readonly kind: 'edit' | 'delete';
  readonly label: string;
  readonly icon: 'pen' | 'bin';
}

function Tool({ message, kind, label, icon }: ToolProps) {
  const open = () => dispatch({ type: 'dialog', dialog: { kind, message } });
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={open}>
      <Icon name={icon} size={16} />
    </button>
  );
}

/** Does the work and closes the dialog, or shows in it why the work failed. */
function useSubmit(work: () => Promise<void>) {
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const onSubmit = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await work();
      closeDialog();
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return { failure, busy, onSubmit };
}

export function EditDialog({ message }: { message: MessageView }) {
  const [text, setText] = useState(message.text);
  const { busy, ...rest } = useSubmit(() => rewrite(message.id, text));
  return (
    <DialogFrame title="Edit message" action="Save" busy={busy || text.trim() === ''} {...rest}>
      <Field label="Message" hint="Saving a question asks it again. The new answer replaces the old one.">
        {(field) => (
          <textarea
            {...field}
            rows={5}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
    </DialogFrame>
  );
}

export function DeleteDialog({ message }: { message: MessageView }) {
  const { busy, ...rest } = useSubmit(() => remove(message));
  return (
    <DialogFrame title="Delete message" action="Delete" busy={busy} {...rest}>
      <p>Delete this message and the answers to it? This cannot be undone.</p>
      <p class="dialog-subject">{message.text}</p>
    </DialogFrame>
  );
}
