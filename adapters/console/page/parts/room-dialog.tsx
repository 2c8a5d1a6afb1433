import { useState } from 'preact/hooks';
import { sentenceOf } from '../net/api.ts';
import { addRoom } from '../state/acts.ts';
import { closeDialog, DialogFrame } from './dialog-frame.tsx';
import { Field } from './fields.tsx';

/** A new room: a name, and what it is about. */
export function RoomDialog() {
  const [name, setName] = useState('');
  const [topic, setTopic] = useState('');
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (name.trim() === '' || busy) return;
    setBusy(true);
    try {
      await addRoom(name.trim(), topic.trim());
      closeDialog();
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <DialogFrame
      title="New room"
      action="Create"
      busy={busy || name.trim() === ''}
      failure={failure}
      onSubmit={submit}
    >
      <Field label="Name">
        {(field) => (
          <input
            {...field}
            type="text"
            value={name}
            maxLength={80}
            required
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="About" hint="Optional">
        {(field) => (
          <input
            {...field}
            type="text"
            value={topic}
            maxLength={200}
            onInput={(event) => setTopic(event.currentTarget.value)}
          />
        )}
      </Field>
    </DialogFrame>
  );
}
