import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MessageView } from '../../wire.ts';
import { mentionsIn } from '../state/mention.ts';
import { show, useSelect } from '../state/store.ts';
import { fullTime, hourOf } from '../state/time.ts';
import { Avatar } from './avatar.tsx';
import { IconButton } from './controls.tsx';
import { DeleteDialog } from './dialogs.tsx';
import { EditField } from './edit-field.tsx';
import { Markdown } from './markdown.tsx';
import { Attachments } from './media.tsx';
import { plainContext } from './render-context.ts';
import { Reply } from './reply.tsx';
import { SharedCard } from './shared-card.tsx';

interface MessageProps {
  readonly message: MessageView;
  /**
   * True if the same author wrote the previous message a short time earlier. The message is then shown without an
   * avatar.
   */
  readonly joined: boolean;
  readonly newest: boolean;
  /** The open thread that shows the message; undefined if the room shows it. */
  readonly thread: string | undefined;
  /** Shown below the message, such as the summary of its thread. */
  readonly children?: ComponentChildren;
}

export function Message({ message, joined, newest, thread, children }: MessageProps) {
  const { author } = message;
  const content = useMemo(() => <Content message={message} newest={newest} />, [message, newest]);
  const found = useSelect((state) => state.found?.id === message.id);
  const edited = useSelect(({ editing }) =>
    editing?.id === message.id && editing.thread === thread ? editing.text : undefined,
  );
  const edit = (text: string) => show({ editing: { id: message.id, thread, text } });
  return (
    <article
      class={`message ${author.kind} ${joined ? 'joined' : ''} ${found ? 'found' : ''}`}
      tabIndex={found ? -1 : undefined}
      data-message={message.id}
      aria-label={`${author.name}, ${hourOf(message.at)}`}
    >
      {joined ? (
        <time class="side-time">{hourOf(message.at)}</time>
      ) : (
        <Avatar kind={author.kind} id={author.id} name={author.name} />
      )}
      <div class="message-body">
        {!joined && <Head message={message} />}
        {edited === undefined || message.deleted ? (
          content
        ) : (
          <EditField message={message} text={edited} onText={edit} />
        )}
        <OwnTools message={message} onEdit={() => edit(message.text)} />
        {children}
      </div>
    </article>
  );
}

/** Shows a message's content. `Message` memoizes it, so that it is rendered again only when the message changes. */
function Content({ message, newest }: { message: MessageView; newest: boolean }) {
  return (
    <>
      {message.reply ? (
        <Reply reply={message.reply} room={message.room} newest={newest} />
      ) : (
        <MessageText message={message} />
      )}
      <Attachments files={message.files} />
      {message.shared && <SharedCard shared={message.shared} room={message.room} />}
    </>
  );
}

function MessageText({ message: { text, edited, deleted } }: { message: MessageView }) {
  if (deleted) return <p class="quiet">This message was deleted.</p>;
  return (
    <>
      <PersonText text={text} />
      {edited && <span class="edited">edited</span>}
    </>
  );
}

/** Shows Edit and Delete on the person's own messages. */
function OwnTools({ message, onEdit }: { message: MessageView; onEdit: () => void }) {
  const mine = useSelect(({ who }) => message.author.kind === 'person' && message.author.id === who);
  if (!mine || message.deleted || message.shared) return null;
  return (
    <div class="own-tools">
      <IconButton icon="pen" size={16} label="Edit message" onClick={onEdit} />
      <IconButton
        icon="bin"
        size={16}
        label="Delete message"
        onClick={() => show({ dialog: <DeleteDialog message={message} /> })}
      />
    </div>
  );
}

function Head({ message }: { message: MessageView }) {
  const { author, at, shared } = message;
  return (
    <header class="message-head">
      <strong>{author.name}</strong>
      {author.kind === 'agent' && <span class="tag">agent</span>}
      {shared && <span class="quiet">shared {shared.source ? 'a source' : 'an answer'}</span>}
      <time dateTime={new Date(at).toISOString()} title={fullTime(at)}>
        {hourOf(at)}
      </time>
    </header>
  );
}

/** Shows a person's text as Markdown under the rules for an agent's text, and with mentions of agents highlighted. */
function PersonText({ text }: { text: string }) {
  const setup = useSelect((state) => state.setup);
  const context = useMemo(() => {
    const { botName = '', agents = [], people = [] } = setup ?? {};
    const names = [botName, ...[...agents, ...people].map(({ name }) => name)];
    const known = new Set(names.map((name) => `@${name.toLowerCase()}`));
    return { ...plainContext, mentions: new Set(mentionsIn(text).filter((mention) => known.has(mention))) };
  }, [setup, text]);
  if (text === '') return null;
  return (
    <div class="person-text">
      <Markdown text={text} context={context} growing={false} />
    </div>
  );
}
