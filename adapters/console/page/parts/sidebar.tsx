import { useLayoutEffect, useState } from 'preact/hooks';
import type { RoomView } from '../../wire.ts';
import { canNotify, isNotifying, switchNotifying } from '../state/notify.ts';
import { roomsFor } from '../state/select.ts';
import { go } from '../state/session.ts';
import { show, useSelect } from '../state/store.ts';
import { applyTheme, currentTheme, type Theme, themes } from '../state/theme.ts';
import { IconButton } from './controls.tsx';
import { Conversations, RoomLink, type RoomListProps } from './conversations.tsx';
import { useReturnedFocus, walkItems } from './focus.ts';
import { COMMAND_KEY } from './help.tsx';
import { Icon, type IconName, Mark } from './icons.tsx';
import { Palette } from './palette.tsx';
import { PersonSwitch } from './person-switch.tsx';
import { RoomDialog } from './room-dialogs.tsx';

/** Lists the rooms and the direct conversations with agents, and shows which person the user speaks as. */
export function Sidebar({ open, onGo }: { open: boolean; onGo: () => void }) {
  const state = useSelect((page) => page);
  const { rooms, archived, directs } = roomsFor(state);
  const enter = (room: RoomView) => {
    go({ room: room.id });
    onGo();
  };
  return (
    <nav class="sidebar" aria-label="Rooms and people">
      {open && <DrawerFocus />}
      <header class="sidebar-head">
        <Mark />
        <span class="brand">Parley</span>
        {canNotify() && <NotifySwitch />}
        <ThemeSwitch />
      </header>
      <button
        type="button"
        class="search-field"
        onClick={() => {
          onGo();
          show({ dialog: <Palette /> });
        }}
      >
        <Icon name="search" size={16} />
        <span>Search</span>
        <kbd>{COMMAND_KEY} K</kbd>
      </button>
      <div class="sidebar-lists">
        <div class="sidebar-title">
          <h2 id="rooms-title">Rooms</h2>
          {state.setup?.makesRooms !== false && (
            <IconButton
              icon="plus"
              size={15}
              label="New room"
              class="icon-button tiny"
              onClick={() => show({ dialog: <RoomDialog /> })}
            />
          )}
        </div>
        <RoomList label="rooms-title" rooms={rooms} onEnter={enter} />
        {directs.length > 0 && (
          <div class="sidebar-title">
            <h2 id="directs-title">Direct messages</h2>
          </div>
        )}
        <Directs rooms={directs} onEnter={enter} />
        {archived.length > 0 && (
          <details class="archived">
            <summary id="archived-title">Archived ({archived.length})</summary>
            <RoomList label="archived-title" rooms={archived} onEnter={enter} />
          </details>
        )}
      </div>
      {state.setup?.operates && <OperateLink />}
      <PersonSwitch />
    </nav>
  );
}

const OperateLink = () => (
  <a class="room-link operate-link" href="#/operate/now">
    <span class="room-glyph">
      <Icon name="pulse" size={16} />
    </span>
    <span class="room-name">Operations</span>
  </a>
);

/** Lists the agents with their conversations. Agents of a group stand below its name, which opens and closes the list. */
function Directs({ rooms, onEnter }: Omit<RoomListProps, 'label'>) {
  const state = useSelect((page) => page);
  const groupOf = new Map(state.setup?.agents.map(({ name, group = '' }) => [name, group]));
  const groups = Map.groupBy(rooms, ({ agent = '' }) => groupOf.get(agent) ?? '');
  return [...groups].map(([group, own]) => {
    const label = group === '' ? 'directs-title' : `directs-${group.replace(/\s/g, '-')}`;
    const list = <Conversations label={label} rooms={own} onEnter={onEnter} />;
    if (group === '') return list;
    const isOpen = own.some(({ id }) => id === state.place.room || state.unread[id]);
    return (
      <details key={group} class="archived" open={isOpen}>
        <summary id={label}>{group}</summary>
        {list}
      </details>
    );
  });
}

/** Moves the focus into the sidebar when it opens on a narrow screen, and back when it closes. */
function DrawerFocus() {
  useReturnedFocus();
  useLayoutEffect(() => document.querySelector<HTMLElement>('.sidebar [aria-current="page"]')?.focus(), []);
  return null;
}

function RoomList({ label, rooms, onEnter }: RoomListProps) {
  return (
    <ul aria-labelledby={label} onKeyDown={walkItems}>
      {rooms.map((room) => (
        <li key={room.id}>
          <RoomLink room={room} onEnter={onEnter}>
            <span class="room-glyph">
              <Icon name={room.members ? 'lock' : 'hash'} size={16} />
            </span>
            <span class="room-name">{room.name}</span>
          </RoomLink>
        </li>
      ))}
    </ul>
  );
}

const looks: Readonly<Record<Theme, { readonly icon: IconName; readonly label: string }>> = {
  system: { icon: 'screen', label: 'System' },
  light: { icon: 'sun', label: 'Light' },
  dark: { icon: 'moon', label: 'Dark' },
};

/** Switches notifications on and off. The browser stores the choice, and asks for the permission once. */
function NotifySwitch() {
  const [on, setOn] = useState(isNotifying());
  const label = on ? 'Switch notifications off' : 'Notify me when an answer ends';
  return (
    <IconButton
      icon={on ? 'bell' : 'bellOff'}
      size={16}
      label={label}
      onClick={() => void switchNotifying().then(() => setOn(isNotifying()))}
    />
  );
}

/** Switches the page between the system's colours, light colours and dark colours. The browser stores the choice. */
function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme());
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const choose = () => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      class="icon-button theme-switch"
      aria-label={`Colors: ${looks[theme].label}. Change to ${looks[next].label}`}
      title={looks[theme].label}
      onClick={choose}
    >
      <Icon name={looks[theme].icon} size={16} />
    </button>
  );
}
