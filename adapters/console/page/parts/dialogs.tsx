import { useState } from 'preact/hooks';
import type { CorrectionView, MessageView } from '../../wire.ts';
import { addNote, addRoom, correct, newNonce, press, remove, rewrite } from '../state/acts.ts';
import { replyOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { Choices, DialogForm, TextField } from './dialog-form.tsx';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';
import { RoomDialogs } from './room-dialogs.tsx';
import { ShareDialog } from './share-dialog.tsx';

/** Shows the open dialog, if there is one. */
export function Dialogs() {
  const dialog = useSelect((state) => state.dialog);
  switch (dialog?.kind) {
    case 'share':
      return <ShareDialog turn={dialog.turn} source={dialog.source} />;
    case 'another':
      return <AnotherDialog turn={dialog.turn} />;
    case 'note':
      return <NoteDialog turn={dialog.turn} />;
    case 'edit':
      return <EditDialog message={dialog.message} />;
    case 'delete':
      return <DeleteDialog message={dialog.message} />;
    case 'correct':
      return <CorrectDialog turn={dialog.turn} form={dialog.form} />;
    case 'palette':
      return <Palette />;
    case 'help':
      return <Help />;
    case 'room':
      return <RoomDialog />;
    case 'rename':
    case 'members':
    case 'end':
      return <RoomDialogs kind={dialog.kind} id={dialog.room} />;
    default:
      return null;
  }
}

function RoomDialog() {
  const [name, setName] = useState('');
  const [topic, setTopic] = useState('');
  const [readers, choose] = useState('everyone');
  const about = topic.trim();
  const work = () =>
    addRoom({ name: name.trim(), ...(about && { topic: about }), private: readers === 'members' });
  return (
    <DialogForm title="New room" action="Create" ready={name.trim() !== ''} work={work}>
      <TextField label="Name" value={name} onText={setName} maxLength={40} required />
      <TextField label="About" hint="Optional" value={topic} onText={setTopic} maxLength={200} />
      <Choices
        legend="Who can read it"
        choices={[
          { id: 'everyone', label: 'Everyone', hint: 'All people of this console', icon: 'hash' },
          {
            id: 'members',
            label: 'Members only',
            hint: 'You, and the people whom members invite',
            icon: 'lock',
          },
        ]}
        chosen={readers}
        choose={choose}
      />
    </DialogForm>
  );
}

/** Dialog in which a person chooses another agent for the same question. */
function AnotherDialog({ turn }: { turn: string }) {
  const agents = useSelect((state) => state.setup?.agents);
  const here = useSelect((state) => replyOf(state, turn)?.reply.agent);
  const others = (agents ?? []).filter(({ name }) => name !== here);
  const [agent, choose] = useState(others[0]?.name ?? '');
  const work = () => press(turn, 'ask', { agent, nonce: newNonce() });
  return (
    <DialogForm title="Ask another agent" action="Ask" ready={agent !== ''} work={work}>
      <Choices
        legend="Ask this agent"
        choices={others.map(({ name, description }) => ({
          id: name,
          label: name,
          hint: description,
          icon: 'thread',
        }))}
        chosen={agent}
        choose={choose}
      />
    </DialogForm>
  );
}

/**
 * Dialog that asks why an answer was not good. The thumbs-down already counts when it is pressed, as in Slack and
 * Teams.
 */
function NoteDialog({ turn }: { turn: string }) {
  const [note, setNote] = useState('');
  const work = async () => {
    if (note.trim() !== '') await addNote(turn, note.trim());
  };
  return (
    <DialogForm title="What was wrong?" action="Send" work={work}>
      <p class="quiet">Your thumbs-down counts even if you close this form.</p>
      <TextField
        label="Anything else?"
        hint="Optional"
        value={note}
        onText={setNote}
        rows={4}
        maxLength={2_000}
      />
    </DialogForm>
  );
}

/** Dialog that stores a corrected answer with its question. Sending it confirms the wording. */
function CorrectDialog({ turn, form }: { turn: string; form: CorrectionView }) {
  const { told, limits } = form;
  const [question, setQuestion] = useState(form.question);
  const [answer, setAnswer] = useState(form.answer);
  const ready = question.trim() !== '' && answer.trim() !== '';
  return (
    <DialogForm
      title="Correct this answer"
      action="Store"
      ready={ready}
      work={() => correct(turn, { question, answer })}
    >
      {told.map((sentence) => (
        <p key={sentence} class="quiet dialog-note">
          {sentence}
        </p>
      ))}
      <TextField
        label="Question"
        value={question}
        onText={setQuestion}
        rows={2}
        maxLength={limits.question}
        required
      />
      <TextField
        label="Answer"
        hint="Markdown"
        value={answer}
        onText={setAnswer}
        rows={6}
        maxLength={limits.answer}
        required
      />
    </DialogForm>
  );
}

function EditDialog({ message }: { message: MessageView }) {
  const [text, setText] = useState(message.text);
  const work = () => rewrite(message.id, text);
  return (
    <DialogForm title="Edit message" action="Save" ready={text.trim() !== ''} work={work}>
      <TextField
        label="Message"
        hint="If you save a question, it is asked again. The new answer replaces the old one."
        value={text}
        onText={setText}
        rows={5}
      />
    </DialogForm>
  );
}

function DeleteDialog({ message }: { message: MessageView }) {
  return (
    <DialogForm title="Delete message" action="Delete" work={() => remove(message)}>
      <p>Delete this message and the answers to it? This cannot be undone.</p>
      <p class="dialog-subject">{message.text}</p>
    </DialogForm>
  );
}
