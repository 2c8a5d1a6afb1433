import type { RoomView } from '../../wire.ts';
import { exportAddress } from '../net/api.ts';
import { archive, converse } from '../state/room-acts.ts';
import { manages, titleOf } from '../state/select.ts';
import { show, useSelect } from '../state/store.ts';
import { Icon, type IconName } from './icons.tsx';
import { Menu, MenuItem, useMenu } from './menu.tsx';

type Item = readonly [icon: IconName, label: string, act: () => unknown];

/** The menu of the open room or conversation. It lists only what the person may do. */
export function RoomMenu({ room }: { room: RoomView }) {
  const menu = useMenu();
  const isManager = useSelect((state) => manages(state, room));
  const items = room.kind === 'direct' ? conversationItems(room) : roomItems(room, isManager);
  if (items.length === 0) return null;
  return (
    <div class="room-menu">
      <button
        type="button"
        ref={menu.opener}
        class="icon-button"
        aria-label="More"
        aria-haspopup="menu"
        aria-expanded={menu.open}
        onClick={menu.toggle}
      >
        <Icon name="more" />
      </button>
      {menu.open && (
        <Menu label={room.kind === 'direct' ? 'Conversation' : 'Room'} onClose={menu.close}>
          {items.map(([icon, label, act]) => (
            <MenuItem key={label} menu={menu} icon={icon} run={act}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </div>
  );
}

const rename = ({ id }: RoomView): Item => [
  'pen',
  'Rename',
  () => show({ dialog: { kind: 'rename', room: id } }),
];

function conversationItems(room: RoomView): readonly Item[] {
  const { id, agent = '' } = room;
  if (titleOf(room) === undefined) return [];
  return [
    ['plus', 'New conversation', () => converse(agent)],
    rename(room),
    // The response is a download, so the page stays.
    ['file', 'Export as Markdown', () => location.assign(exportAddress(id))],
    ['bin', 'Delete', () => show({ dialog: { kind: 'end', room: id } })],
  ];
}

function roomItems(room: RoomView, isManager: boolean): readonly Item[] {
  const { id, archived, members } = room;
  const open = (kind: 'members' | 'end') => () => show({ dialog: { kind, room: id } });
  const owned: readonly Item[] = [
    rename(room),
    ['box', archived ? 'Open again' : 'Archive', () => archive(id, !archived)],
  ];
  const own: readonly Item[] = [['people', 'Members', open('members')], ...(isManager ? owned : [])];
  return members ? [...own, ['back', 'Leave', open('end')]] : own.slice(1);
}
