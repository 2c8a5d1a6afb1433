import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { MessageView } from '../../wire.ts';
import { fullTime, hourOf } from '../state/time.ts';
import { Avatar } from './avatar.tsx';
import { Attachments } from './media.tsx';
import { OwnTools } from './own-message.tsx';
import { PersonText } from './person-text.tsx';
import { Reply } from './reply.tsx';
import { SharedCard } from './shared-card.tsx';

export interface MessageProps {
  readonly message: MessageView;
  /** Follows closely on one of the same author: shown without a face. */
  readonly joined: boolean;
  readonly newest: boolean;
  /** What stands under it, such as the thread's summary. */
  readonly children?: ComponentChildren;
}

export function Message({ message, joined, newest, children }: MessageProps) {
  const { author } = message;
  const content = useMemo(() => <Content message={message} newest={newest} />, [message, newest]);
  return (
    <article
      class={`message ${author.kind} ${joined ? 'joined' : ''}`}
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
        {content}
        <OwnTools message={message} />
        {children}
      </div>
    </article>
  );
}

/** Drawn again only when the message is another, however much grows beside it. */
function Content({ message, newest }: { message: MessageView; newest: boolean }) {
  return (
    <>
      {message.reply ? (
        <Reply message={message} reply={message.reply} newest={newest} />
      ) : (
        <Words message={message} />
      )}
      <Attachments files={message.files} />
      {message.shared && <SharedCard shared={message.shared} room={message.room} />}
    </>
  );
}

function Words({ message: { text, edited, deleted } }: { message: MessageView }) {
  if (deleted) return <p class="quiet">This message was deleted.</p>;
  return (
    <>
      <PersonText text={text} />
      {edited && <span class="edited">edited</span>}
    </>
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
