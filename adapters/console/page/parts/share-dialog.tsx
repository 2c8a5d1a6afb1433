import { useState } from 'preact/hooks';
import type { MessageView, RoomView, SourceView } from '../../wire.ts';
import { share } from '../state/acts.ts';
import { DIRECT } from '../state/model.ts';
import { replyOf, roomOf, roomsFor } from '../state/select.ts';
import { getState, useSelect } from '../state/store.ts';
import { type Choice, Choices, DialogForm } from './dialog-form.tsx';

interface Target extends Choice {
  /** Name of the place to share to, as it appears within a sentence. */
  readonly where: string;
  readonly room: string;
  readonly thread?: string;
}

/**
 * Dialog that asks where to share: a source can go into its own thread or another room, a private answer into a room.
 */
export function ShareDialog({ turn, source: key }: { turn: string; source: string | undefined }) {
  const message = useSelect((state) => replyOf(state, turn)?.message);
  const source = message?.reply?.sources.find((one) => one.key === key);
  if (!message || (key !== undefined && !source)) return null;
  return <ShareForm message={message} source={source} />;
}

/** Without a source, the whole answer is shared. */
function ShareForm({ message, source }: { message: MessageView; source: SourceView | undefined }) {
  const turn = message.reply?.turn ?? '';
  const rooms = roomsFor(getState()).rooms.map(roomTarget);
  const targets = source ? [hereTarget(message), ...rooms] : rooms;
  const [chosen, choose] = useState(targets[0]?.id);
  const target = targets.find((one) => one.id === chosen);
  const leavesRoom = target?.room !== message.room && roomOf(getState(), message.room)?.members !== undefined;
  const work = async () => {
    if (!target) return;
    const { room, thread, where } = target;
    await share({ turn, ...(source && { source: source.key }), room, ...(thread && { thread }) }, where);
  };
  return (
    <DialogForm title={source ? 'Share a source' : 'Share this answer'} action="Share" work={work}>
      {source ? (
        <p class="dialog-subject">
          <span class="source-number">{source.number}</span>
          {source.title}
        </p>
      ) : (
        <p>Everyone in the room will see your question, the answer and its sources.</p>
      )}
      {source && leavesRoom && (
        <p>This room is private. Everyone in the other room will see the source and the question.</p>
      )}
      <Choices legend="Share with" name="target" choices={targets} chosen={chosen} choose={choose} />
    </DialogForm>
  );
}

function hereTarget({ room, thread }: MessageView): Target {
  const { name = '' } = roomOf(getState(), room) ?? {};
  const place = { id: 'here', icon: 'thread', room, thread } as const;
  return thread === DIRECT
    ? { ...place, label: 'This conversation', where: 'this conversation', hint: name }
    : { ...place, label: 'This thread', where: 'this thread', hint: `#${name}` };
}

function roomTarget({ id, name, topic, members }: RoomView): Target {
  const icon = members ? 'lock' : 'hash';
  return { id, label: `#${name}`, where: `#${name}`, hint: topic, icon, room: id };
}
