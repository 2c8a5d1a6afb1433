import { useState } from 'preact/hooks';
import type { MessageView, RoomView, SourceView } from '../../wire.ts';
import { sentenceOf } from '../net/api.ts';
import { share } from '../state/acts.ts';
import { DIRECT } from '../state/model.ts';
import { replyOf, roomOf, roomsFor } from '../state/select.ts';
import { getState, useSelect } from '../state/store.ts';
import { closeDialog, DialogFrame } from './dialog-frame.tsx';
import { Choices } from './fields.tsx';

interface Target {
  readonly id: string;
  readonly label: string;
  /** As it stands in a sentence. */
  readonly where: string;
  readonly note: string;
  readonly room: string;
  readonly thread?: string;
}

/** Asks where to share: a source into its own thread or another room, a private answer into a room. */
export function ShareDialog({ turn, source: key }: { turn: string; source: string | undefined }) {
  const message = useSelect((state) => replyOf(state, turn)?.message);
  const source = message?.reply?.sources.find((one) => one.key === key);
  if (!message || (key !== undefined && !source)) return null;
  return <ShareForm message={message} turn={turn} source={source} />;
}

interface ShareFormProps {
  readonly message: MessageView;
  readonly turn: string;
  /** Absent: the whole answer. */
  readonly source: SourceView | undefined;
}

function ShareForm({ message, turn, source }: ShareFormProps) {
  const targets = source ? targetsFor(message) : roomTargets();
  const [chosen, choose] = useState(targets[0]?.id);
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const target = targets.find((one) => one.id === chosen);
  const submit = async () => {
    if (!target || busy) return;
    setBusy(true);
    const { room, thread, where } = target;
    try {
      const what = source ? { turn, source: source.key } : { turn };
      await share({ ...what, room, ...(thread ? { thread } : {}) }, where);
      closeDialog();
    } catch (thrown) {
      setFailure(sentenceOf(thrown));
      setBusy(false);
    }
  };
  return (
    <DialogFrame
      title={source ? 'Share a source' : 'Share this answer'}
      action="Share"
      busy={busy}
      failure={failure}
      onSubmit={submit}
    >
      {source ? (
        <p class="dialog-subject">
          <span class="source-number">{source.number}</span>
          {source.title}
        </p>
      ) : (
        <p>Everyone in the room will see your question, the answer and its sources.</p>
      )}
      <Choices
        legend="Share with"
        choices={targets.map(({ id, label, note, thread }) => ({
          id,
          label,
          hint: note,
          icon: thread ? 'thread' : 'hash',
        }))}
        chosen={chosen}
        choose={choose}
      />
    </DialogFrame>
  );
}

function targetsFor(message: MessageView): readonly Target[] {
  return [hereTarget(message, roomOf(getState(), message.room)), ...roomTargets()];
}

const roomTargets = (): readonly Target[] => roomsFor(getState()).rooms.map(roomTarget);

function hereTarget(message: MessageView, room: RoomView | undefined): Target {
  const direct = message.thread === DIRECT;
  return {
    id: 'here',
    label: direct ? 'This conversation' : 'This thread',
    where: direct ? 'this conversation' : 'this thread',
    note: direct ? (room?.name ?? '') : `#${room?.name ?? ''}`,
    room: message.room,
    thread: message.thread,
  };
}

function roomTarget(room: RoomView): Target {
  return { id: room.id, label: `#${room.name}`, where: `#${room.name}`, note: room.topic, room: room.id };
}
