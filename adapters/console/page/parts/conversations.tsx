import type { ComponentChildren } from 'preact';
import type { RoomView } from '../../wire.ts';
import { converse } from '../state/room-acts.ts';
import { titleOf } from '../state/select.ts';
import { useSelect } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { IconButton } from './controls.tsx';
import { walkItems } from './focus.ts';

interface ConversationsProps {
  readonly label: string;
  readonly rooms: readonly RoomView[];
  readonly onEnter: (room: RoomView) => void;
  readonly badge: (room: RoomView) => ComponentChildren;
}

/** Lists the agents and, below each, the person's conversations with it, newest first. */
export function Conversations({ label, rooms, onEnter, badge }: ConversationsProps) {
  const here = useSelect((state) => state.place.room);
  const entry = (room: RoomView, isListed: boolean, children: ComponentChildren) => (
    <button
      type="button"
      data-item
      class="room-link"
      aria-current={isListed && room.id === here ? 'page' : undefined}
      onClick={() => onEnter(room)}
    >
      {children}
      {isListed && badge(room)}
    </button>
  );
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
              {newest &&
                entry(
                  newest,
                  begun.length === 0,
                  <>
                    <Avatar kind="agent" id={agent} name={agent} size="small" />
                    <span class="room-name">{agent}</span>
                  </>,
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
                  {entry(room, true, <span class="room-name">{titleOf(room) ?? 'New conversation'}</span>)}
                </li>
              ))}
            </ul>
          </li>
        );
      })}
    </ul>
  );
}
