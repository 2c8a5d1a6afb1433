/** The dialogs about an answer, or about a message of the person. */

import type { CorrectionView, MessageView } from '../../wire.ts';
import { addNote, correct, newNonce, press, remove } from '../state/acts.ts';
import { useSelect } from '../state/store.ts';
import { Choices, DialogForm, TextField } from './dialog-form.tsx';

/** Dialog in which a person chooses another agent for the same question. */
export function AnotherDialog({ turn, agent: here }: { turn: string; agent: string | undefined }) {
  const agents = useSelect((state) => state.setup?.agents) ?? [];
  const choices = agents
    .filter(({ name }) => name !== here)
    .map(({ name, description }) => ({ id: name, label: name, hint: description, icon: 'thread' as const }));
  return (
    <DialogForm
      title="Ask another agent"
      action="Ask"
      work={(value) => press(turn, 'ask', { agent: value('agent'), nonce: newNonce() })}
    >
      <Choices legend="Ask this agent" name="agent" choices={choices} chosen={choices[0]?.id} />
    </DialogForm>
  );
}

/**
 * Dialog that asks why an answer was not good. The thumbs-down already counts when it is pressed, as in Slack and
 * Teams.
 */
export function NoteDialog({ turn }: { turn: string }) {
  return (
    <DialogForm
      title="What was wrong?"
      action="Send"
      work={async (value) => value('note') && addNote(turn, value('note'))}
    >
      <p class="quiet">Your thumbs-down counts even if you close this form.</p>
      <TextField label="Anything else?" name="note" hint="Optional" rows={4} maxLength={2_000} />
    </DialogForm>
  );
}

/** Dialog that stores a corrected answer with its question. Sending it confirms the wording. */
export function CorrectDialog({ turn, form }: { turn: string; form: CorrectionView }) {
  const { told, limits } = form;
  return (
    <DialogForm
      title="Correct this answer"
      action="Store"
      work={(value) => correct(turn, { question: value('question'), answer: value('answer') })}
    >
      {told.map((sentence) => (
        <p key={sentence} class="quiet dialog-note">
          {sentence}
        </p>
      ))}
      <TextField
        label="Question"
        name="question"
        value={form.question}
        rows={2}
        maxLength={limits.question}
        required
      />
      <TextField
        label="Answer"
        name="answer"
        hint="Markdown"
        value={form.answer}
        rows={6}
        maxLength={limits.answer}
        required
      />
    </DialogForm>
  );
}

export function DeleteDialog({ message }: { message: MessageView }) {
  return (
    <DialogForm title="Delete message" action="Delete" work={() => remove(message)}>
      <p>Delete this message and the answers to it? This cannot be undone.</p>
      <p class="dialog-subject">{message.text}</p>
    </DialogForm>
  );
}
