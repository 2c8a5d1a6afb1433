import { useMemo } from 'preact/hooks';
import type { AgentView, MessageView, RoomView as Room } from '../../wire.ts';
import { now } from '../clock.ts';
import { isRoot } from '../state/messages.ts';
import { loadKey } from '../state/model.ts';
import { messagesOf, roomsFor, type Summary, summariesOf, titleOf } from '../state/select.ts';
import { go } from '../state/session.ts';
import { show, useSelect } from '../state/store.ts';
import { agoOf } from '../state/time.ts';
import { Avatar } from './avatar.tsx';
import { Composer } from './composer.tsx';
import { IconButton } from './controls.tsx';
import { Icon } from './icons.tsx';
import { Earlier, LoadState } from './loading.tsx';
import { Palette } from './palette.tsx';
import { Suggestions } from './reply.tsx';
import { RoomMenu } from './room-menu.tsx';
import { Timeline } from './timeline.tsx';
import { sayAtOnce } from './use-draft.ts';

/** Shows the messages of a room, or of a direct conversation with an agent. */
export function RoomPane({ room, onMenu }: { room: Room; onMenu: () => void }) {
  const messages = useSelect((state) => messagesOf(state, room.id));
  const roots = useMemo(() => messages.filter(isRoot), [messages]);
  const summaries = useMemo(() => summariesOf(messages), [messages]);
  const direct = room.kind === 'direct';
  return (
    <section class="pane room-pane" aria-label={direct ? room.name : `Room ${room.name}`}>
      <RoomHead room={room} onMenu={onMenu} />
      <LoadState place={{ room: room.id }} empty={roots.length === 0}>
        <Timeline
          key={room.id}
          place={{ room: room.id }}
          label={direct ? `Conversation with ${room.name}` : `Messages in ${room.name}`}
          messages={roots}
          days={true}
          before={
            <>
              <Earlier place={{ room: room.id }} before={roots[0]?.id} />
              <Welcome room={room} empty={roots.length === 0} />
            </>
          }
          under={direct ? undefined : (root) => <ThreadRow root={root} summary={summaries.get(root.id)} />}
        />
      </LoadState>
      <Composer
        key={room.id}
        place={{ room: room.id }}
        hint={direct ? `Message ${room.name}` : `Message #${room.name} (type @ to ask an agent)`}
      />
    </section>
  );
}

/** Shown if the address names a room that does not exist, or that this person may not see. */
export function NoRoom({ onMenu }: { onMenu: () => void }) {
  const first = useSelect((state) => roomsFor(state).rooms[0]);
  return (
    <section class="pane room-pane" aria-label="No room">
      <header class="pane-head">
        <MenuButton onMenu={onMenu} />
      </header>
      <div class="load-failed">
        <p>This room does not exist, or it is private and you are not a member.</p>
        {first && (
          <button type="button" class="button" onClick={() => go({ room: first.id })}>
            Go to {first.name}
          </button>
        )}
      </div>
    </section>
  );
}

function MenuButton({ onMenu }: { onMenu: () => void }) {
  return <IconButton icon="menu" label="Show rooms" class="icon-button menu-button" onClick={onMenu} />;
}

function RoomHead({ room, onMenu }: { room: Room; onMenu: () => void }) {
  return (
    <header class="pane-head">
      <MenuButton onMenu={onMenu} />
      {room.kind === 'room' ? (
        <span class="room-glyph">
          <Icon name={room.members ? 'lock' : 'hash'} />
        </span>
      ) : (
        <Avatar kind="agent" id={room.id} name={room.agent ?? room.name} size="small" />
      )}
      <div class="pane-title">
        <h2>{room.name}</h2>
        <p>{titleOf(room) ?? room.topic}</p>
      </div>
      <IconButton
        icon="search"
        label="Search"
        class="icon-button search-button"
        onClick={() => show({ dialog: <Palette /> })}
      />
      <RoomMenu room={room} />
    </header>
  );
}

/** Stands above the first message of a room, so it is not shown while there are earlier ones to load. */
function Welcome({ room, empty }: { room: Room; empty: boolean }) {
  const all = useSelect((state) => state.setup?.agents);
  const agent = all?.find((one) => one.name === room.agent);
  const agents = agent ? [agent] : all?.filter(({ group }) => group === undefined);
  const bot = useSelect((state) => state.setup?.botName);
  const more = useSelect((state) => state.earlier[loadKey(room.id)] ?? false);
  if (more) return null;
  return (
    <div class="opening">
      <h3>{room.kind === 'room' ? `#${room.name}` : room.name}</h3>
      <p>
        {room.kind === 'direct'
          ? (agent?.description ?? 'Ask anything; only you see this conversation.')
          : `Write to the room, or ask an agent with @${bot}. The answer appears in a thread under your question.`}
        {room.members && ' Only the members of this room can read it.'}
      </p>
      {room.kind === 'room' && (
        <ul class="opening-agents" aria-label="Agents">
          {agents?.slice(0, 4).map(({ name, description }) => (
            <li key={name}>
              <Avatar kind="agent" id={name} name={name} />
              <span>
                <strong>@{name}</strong> {description}
              </span>
            </li>
          ))}
        </ul>
      )}
      {empty && <FirstQuestions room={room} agents={agents ?? []} />}
      {empty && room.kind === 'room' && <Tour />}
    </div>
  );
}

/** Maximum questions that a room offers, and how many of one agent, so that a room shows more than one agent. */
const QUESTIONS = 3;
const OF_ONE_AGENT = 2;

/** Questions of the agents. */
function FirstQuestions({ room, agents }: { room: Room; agents: readonly AgentView[] }) {
  const questions = agents
    .flatMap(({ name, questions: own = [] }) =>
      room.kind === 'direct' ? own : own.slice(0, OF_ONE_AGENT).map((text) => `@${name} ${text}`),
    )
    .slice(0, QUESTIONS);
  const ask = (text: string) => sayAtOnce({ room: room.id }, text);
  return <Suggestions label="Questions to begin with" questions={questions} ask={ask} />;
}

/** The shortest tour: one line for each thing to try. */
const Tour = () => (
  <ol class="tour" aria-label="What to try">
    <li>Ask an agent, for example with one of these questions.</li>
    <li>Ask a follow-up in the thread of the answer.</li>
    <li>Open a source with its number, and share it.</li>
    <li>Stop an answer while it is written, or retry one that failed.</li>
    <li>Ask in private with the menu ⋯ under an answer.</li>
  </ol>
);

/** Line under a thread's root: the number of answers, their authors, and the agents that are answering. */
function ThreadRow({ root, summary }: { root: MessageView; summary: Summary | undefined }) {
  const open = useSelect((state) => state.place.thread === root.id);
  const all = useSelect((state) => state.fresh);
  const fresh = all.filter((one) => one.thread === root.id && one.id !== root.id).length;
  const enter = () => go({ room: root.room, thread: root.id });
  if (!summary) {
    return (
      <IconButton icon="thread" size={16} label="Reply in a thread" class="reply-button" onClick={enter} />
    );
  }
  const { authors, answers, live, lastAt } = summary;
  return (
    <button type="button" class="thread-row" aria-pressed={open} onClick={enter}>
      <span class="thread-authors">
        {authors.length === 0 && <Icon name="thread" size={16} />}
        {authors.map((author) => (
          <Avatar key={author.id} kind={author.kind} id={author.id} name={author.name} size="small" />
        ))}
      </span>
      <span class="thread-count">{answers === 1 ? '1 reply' : `${answers} replies`}</span>
      {fresh > 0 && !open && <span class="thread-fresh">{fresh} new</span>}
      {live ? (
        <span class="thread-live">
          {live.author.name} is {live.reply?.state}
        </span>
      ) : (
        <span class="quiet">{agoOf(lastAt, now())}</span>
      )}
      <span class="thread-go">
        <Icon name="chevron" size={14} />
      </span>
    </button>
  );
}
