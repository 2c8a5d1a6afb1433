import type { ComponentChildren } from 'preact';
import type { RoomView } from '../../wire.ts';
import { converse } from '../state/acts.ts';
import type { Unread } from '../state/model.ts';
import { titleOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { IconButton } from './controls.tsx';
import { walkItems } from './focus.ts';

export interface RoomListProps {
  /** Id of the heading. */
  readonly label: string;
  readonly rooms: readonly RoomView[];
  readonly onEnter: (room: RoomView) => void;
}

interface RoomLinkProps extends Pick<RoomListProps, 'onEnter'> {
  readonly room: RoomView;
  /** False if another entry of the list stands for the room. */
  readonly isListed?: boolean;
  readonly children: ComponentChildren;
}

/** A button that opens a room or conversation. Says whether it is the open one, and how much of it is unread. */
export function RoomLink({ room, isListed = true, onEnter, children }: RoomLinkProps) {
  const here = useSelect((state) => state.place.room === room.id);
  const all = useSelect((state) => state.unread[room.id]);
  const unread = isListed ? all : undefined;
  return (
    <button
      type="button"
      data-item
      class={`room-link ${unread ? 'unread' : ''}`}
      aria-current={isListed && here ? 'page' : undefined}
      onClick={() => onEnter(room)}
    >
      {children}
      {unread && <UnreadBadge unread={unread} />}
    </button>
  );
}

/** The number of unread messages, and of those that mention the person. */
function UnreadBadge({ unread }: { unread: readonly Unread[] }) {
  const mentions = unread.filter(({ mention }) => mention).length;
  return (
    <>
      {mentions > 0 && (
        <span class="unread-count mentions">
          @{mentions}
          <span class="unseen"> mentions of you,</span>
        </span>
      )}
      <span class="unread-count">
        {unread.length > 99 ? '99+' : unread.length}
        <span class="unseen"> new</span>
      </span>
    </>
  );
}

/** Lists the agents and, below each, the person's conversations with it, newest first. */
export function Conversations({ label, rooms, onEnter }: RoomListProps) {
  const agents = [...Map.groupBy(rooms, ({ agent, name }) => agent ?? name)];
  return (
    <ul aria-labelledby={label} onKeyDown={walkItems}>
      {agents.map(([agent, own]) => {
        const begun = own
          .filter((room) => room.at !== undefined || titleOf(room) !== undefined)
          .toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
        const [newest] = begun.concat(own);
        return (
          <li key={agent}>
            <div class="agent-row">
              {newest && (
                <RoomLink room={newest} isListed={begun.length === 0} onEnter={onEnter}>
                  <Avatar kind="agent" id={agent} name={agent} size="small" />
                  <span class="room-name">{agent}</span>
                </RoomLink>
              )}
              <IconButton
                icon="plus"
                size={15}
                label="New conversation"
                class="icon-button tiny"
                onClick={() => void converse(agent)}
              />
            </div>
            <ul class="conversations" aria-label={`Conversations with ${agent}`}>
              {begun.map((room) => (
                <li key={room.id}>
                  <RoomLink room={room} onEnter={onEnter}>
                    <span class="room-name">{titleOf(room) ?? 'New conversation'}</span>
                  </RoomLink>
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}
