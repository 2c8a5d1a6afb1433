import { useState } from 'preact/hooks';
import { sentenceOf } from '../net/api.ts';
import { addNote, askAnother } from '../state/reply-acts.ts';
import { replyOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { closeDialog, DialogFrame } from './dialog-frame.tsx';
import { Choices, Field } from './fields.tsx';

/** Asks the answer's question of another agent. */
export function AnotherDialog({ turn }: { turn: string }) {
  const agents = useSelect((state) => state.setup?.agents);
  const here = useSelect((state) => replyOf(state, turn)?.reply.agent);
  const others = (agents ?? []).filter(({ name }) => name !== here);
  const [chosen, choose] = useState(others[0]?.name);
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (chosen === undefined || busy) return;
    setBusy(true);
    await askAnother(turn, chosen);
    closeDialog();
  };
  return (
    <DialogFrame title="Ask another agent" action="Ask" busy={busy} failure={undefined} onSubmit={submit}>
      <Choices
        legend="Agent to ask the same question"
        choices={others.map(({ name, description }) => ({
          id: name,
          label: name,
          hint: description,
          icon: 'thread',
        }))}
        chosen={chosen}
        choose={choose}
      />
    </DialogFrame>
  );
}

/** Asks why an answer was not good. The thumbs-down was counted when it was pressed, as in Slack and Teams. */
export function NoteDialog({ turn }: { turn: string }) {
  const [note, setNote] = useState('');
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    try {
      if (note.trim() !== '') await addNote(turn, note.trim());
      closeDialog();
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <DialogFrame title="What was wrong?" action="Send" busy={busy} failure={failure} onSubmit={submit}>
      <p class="quiet">Your thumbs-down counts even if you close this form.</p>
      <Field label="Anything else?" hint="Optional">
        {(field) => (
          <textarea
            {...field}
            rows={4}
            maxLength={2_000}
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
        )}
      </Field>
    </DialogFrame>
  );
}
