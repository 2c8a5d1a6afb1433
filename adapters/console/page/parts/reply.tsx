import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MessageView, ReplyView } from '../../wire.ts';
import { every, now } from '../clock.ts';
import { isLive } from '../state/messages.ts';
import { lengthOf } from '../state/time.ts';
import { Icon } from './icons.tsx';
import { type Look, lookOf } from './look.ts';
import { Markdown } from './markdown.tsx';
import { Gallery } from './media.tsx';
import { Notice } from './notice.tsx';
import { ReplyActions } from './reply-actions.tsx';
import { SourceList } from './source-list.tsx';
import { Steps } from './steps.tsx';
import { Suggestions } from './suggestions.tsx';

/** An agent's reply in whatever state it is: one place that changes, never a second message. */
export function Reply({
  message,
  reply,
  newest,
}: {
  message: MessageView;
  reply: ReplyView;
  newest: boolean;
}) {
  const live = isLive(reply);
  const look = useLook(reply);
  return (
    <div class={`reply ${reply.state}`} aria-busy={live}>
      <ReplyStatus reply={reply} />
      {reply.steps.length > 0 && <Steps steps={reply.steps} open={reply.state === 'thinking'} live={live} />}
      {reply.text !== '' && <Markdown text={reply.text} look={look} growing={live} />}
      <Gallery media={reply.media} text={reply.text} />
      {reply.notices.map((notice) => (
        <Notice key={notice.text} tone={notice.tone} text={notice.text} />
      ))}
      {!live && reply.sources.length > 0 && <SourceList turn={reply.turn} sources={reply.sources} />}
      {newest && !live && <Suggestions turn={reply.turn} suggestions={reply.suggestions} />}
      <ReplyActions reply={reply} live={live} room={message.room} />
    </div>
  );
}

function useLook(reply: ReplyView): Look {
  const { turn, sources, media } = reply;
  return useMemo(() => lookOf({ turn, sources, media }), [turn, sources, media]);
}

function ReplyStatus({ reply }: { reply: ReplyView }) {
  if (reply.state === 'waiting') return <Waiting ahead={reply.ahead ?? 0} />;
  if (reply.state === 'thinking') return <Thinking reply={reply} />;
  return null;
}

function Waiting({ ahead }: { ahead: number }) {
  const first = ahead === 1 ? '1 question first' : `${ahead} questions first`;
  return (
    <p class="reply-status">
      <Icon name="clock" size={16} />
      <span>Waiting{ahead > 0 && ` · ${first}`}</span>
    </p>
  );
}

const QUIET_MS = 10_000;

/** After 10 s without progress, shows how long the wait has lasted. */
function Thinking({ reply: { meanwhile, steps } }: { reply: ReplyView }) {
  const [quiet, setQuiet] = useState(0);
  useEffect(() => {
    const since = now();
    setQuiet(0);
    return every(1_000, () => setQuiet(now() - since));
  }, [meanwhile, steps]);
  return (
    <p class="reply-status">
      <span class="thinking-mark" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {meanwhile ?? 'Thinking'}
      {quiet >= QUIET_MS && ` · ${lengthOf(quiet)}`}
    </p>
  );
}
