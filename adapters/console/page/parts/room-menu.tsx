import type { RoomView } from '../../wire.ts';
import { exportAddress } from '../net/api.ts';
import { archive, converse } from '../state/acts.ts';
import { manages, titleOf } from '../state/select.ts';
import { show, useSelect } from '../state/store.ts';
import { Icon } from './icons.tsx';
import { MenuButton, type MenuItem } from './menu.tsx';
import { RoomDialogs } from './room-dialogs.tsx';

/** The menu of the open room or conversation. It lists only what the person may do. */
export function RoomMenu({ room }: { room: RoomView }) {
  const isManager = useSelect((state) => manages(state, room));
  const isDirect = room.kind === 'direct';
  const items = isDirect ? conversationItems(room) : roomItems(room, isManager);
  if (items.length === 0) return null;
  return (
    <div class="room-menu">
      <MenuButton title={isDirect ? 'Conversation' : 'Room'} items={items} class="icon-button" label="More">
        <Icon name="more" />
      </MenuButton>
    </div>
  );
}

const opener =
  (kind: 'rename' | 'members' | 'end', { id }: RoomView) =>
  () =>
    show({ dialog: <RoomDialogs kind={kind} id={id} /> });

function conversationItems(room: RoomView): readonly MenuItem[] {
  const { id, agent = '' } = room;
  if (titleOf(room) === undefined) return [];
  return [
    { icon: 'plus', label: 'New conversation', run: () => converse(agent) },
    { icon: 'pen', label: 'Rename', run: opener('rename', room) },
    // The response is a download, so the page stays.
    { icon: 'file', label: 'Export as Markdown', run: () => location.assign(exportAddress(id)) },
    { icon: 'bin', label: 'Delete', run: opener('end', room) },
  ];
}

function roomItems(room: RoomView, isManager: boolean): readonly MenuItem[] {
  const { id, archived, members } = room;
  const own: readonly MenuItem[] = [
    { icon: 'pen', label: 'Rename', run: opener('rename', room) },
    { icon: 'box', label: archived ? 'Open again' : 'Archive', run: () => archive(id, !archived) },
  ];
  const managed = isManager ? own : [];
  if (!members) return managed;
  return [
    { icon: 'people', label: 'Members', run: opener('members', room) },
    ...managed,
    { icon: 'back', label: 'Leave', run: opener('end', room) },
  ];
}
