import { useState } from 'preact/hooks';
import type { RoomView } from '../../wire.ts';
import { addRoom, changeRoom, deleteConversation, invite, leave, removeMember } from '../state/acts.ts';
import { manages, roomOf, titleOf } from '../state/select.ts';
import { showToast, useSelect } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { Act } from './controls.tsx';
import { Choices, DialogForm, type DialogWork, TextField } from './dialog-form.tsx';

/** People whom the search for a new member shows. */
const FOUND = 6;

export function RoomDialogs({ kind, id }: { kind: 'rename' | 'members' | 'end'; id: string }) {
  const room = useSelect((state) => roomOf(state, id));
  if (!room) return null;
  if (kind === 'rename') return <RenameDialog room={room} />;
  return kind === 'members' ? <MembersDialog room={room} /> : <EndDialog room={room} />;
}

function RenameDialog({ room }: { room: RoomView }) {
  const name = (room.kind === 'direct' && titleOf(room)) || room.name;
  return (
    <DialogForm title="Rename" action="Save" work={(value) => changeRoom(room.id, { name: value('name') })}>
      <TextField label="Name" name="name" value={name} maxLength={40} required />
    </DialogForm>
  );
}

/** Dialog that makes a room. */
export function RoomDialog() {
  return (
    <DialogForm
      title="New room"
      action="Create"
      work={(value) =>
        addRoom({ name: value('name'), topic: value('topic'), private: value('readers') === 'members' })
      }
    >
      <TextField label="Name" name="name" maxLength={40} required />
      <TextField label="About" name="topic" hint="Optional" maxLength={200} />
      <Choices
        legend="Who can read it"
        name="readers"
        choices={[
          { id: 'everyone', label: 'Everyone', hint: 'All people of this console', icon: 'hash' },
          {
            id: 'members',
            label: 'Members only',
            hint: 'You, and the people whom members invite',
            icon: 'lock',
          },
        ]}
        chosen="everyone"
      />
    </DialogForm>
  );
}

/** Dialog with the members of a private room, in which a member invites another person. */
function MembersDialog({ room }: { room: RoomView }) {
  const people = useSelect((state) => state.setup?.people) ?? [];
  const [sought, setSought] = useState('');
  const { id, name, members = [] } = room;
  const nameOf = (person: string) => people.find((one) => one.id === person)?.name ?? 'Unknown person';
  const found = people
    .filter(
      (one) => !members.includes(one.id) && one.name.toLowerCase().includes(sought.trim().toLowerCase()),
    )
    .slice(0, FOUND);
  const work: DialogWork = async (value) => {
    await invite(id, value('person'));
    showToast({ tone: 'info', text: `${nameOf(value('person'))} can now read #${name}.` });
  };
  return (
    <DialogForm
      title={`Members of ${name}`}
      action="Invite"
      able={!room.archived && found.length > 0}
      work={work}
    >
      <Members room={room} nameOf={nameOf} />
      {!room.archived && (
        <>
          <TextField
            label="Invite a person"
            name="sought"
            hint="New members can read all earlier messages."
            onText={setSought}
          />
          {found.length > 0 && (
            <Choices
              legend="People who are not members"
              name="person"
              choices={found.map((one) => ({ id: one.id, label: one.name, hint: one.title, icon: 'plus' }))}
            />
          )}
        </>
      )}
    </DialogForm>
  );
}

function Members({ room, nameOf }: { room: RoomView; nameOf: (person: string) => string }) {
  const who = useSelect((state) => state.who);
  const mayRemove = useSelect((state) => manages(state, room));
  return (
    <ul class="members" aria-label="Members">
      {room.members?.map((person) => (
        <li key={person}>
          <Avatar kind="person" id={person} name={nameOf(person)} size="small" />
          <span class="room-name">
            {nameOf(person)}
            {person === room.owner && <span class="quiet"> manages the room</span>}
          </span>
          {mayRemove && person !== who && (
            <Act class="button small" busy="Removing" run={() => removeMember(room.id, person)}>
              Remove<span class="unseen"> {nameOf(person)}</span>
            </Act>
          )}
        </li>
      ))}
    </ul>
  );
}

const LEAVING = 'You can no longer read this room, unless a member invites you again. Your messages stay.';
const LEAVING_LAST =
  'You are the last member. If you leave, the room and all its messages are deleted. This cannot be undone.';

/** Dialog in which a person leaves a private room, or deletes a conversation. */
function EndDialog({ room }: { room: RoomView }) {
  const { id, name, members } = room;
  if (members)
    return (
      <DialogForm title={`Leave ${name}`} action="Leave" work={() => leave(id)}>
        <p>{members.length === 1 ? LEAVING_LAST : LEAVING}</p>
      </DialogForm>
    );
  return (
    <DialogForm title="Delete conversation" action="Delete" work={() => deleteConversation(room)}>
      <p>Delete all questions, answers and files of this conversation? This cannot be undone.</p>
      <p class="dialog-subject">{titleOf(room)}</p>
    </DialogForm>
  );
}
