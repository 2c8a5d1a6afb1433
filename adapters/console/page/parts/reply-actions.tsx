import type { ReplyView, Thumb } from '../../wire.ts';
import { askAsMe, judge, newNonce, openCorrection, press } from '../state/acts.ts';
import { readable } from '../state/readable.ts';
import { roomOf } from '../state/select.ts';
import { openPanel } from '../state/session.ts';
import { show, useSelect } from '../state/store.ts';
import { Act, CopyButton } from './controls.tsx';
import { Icon, type IconName, StopIcon } from './icons.tsx';

/** Buttons of a reply: Stop while the reply is being written, and the other actions after that. */
export function ReplyActions({ reply, live, room }: { reply: ReplyView; live: boolean; room: string }) {
  const { turn } = reply;
  if (live) {
    return (
      <div class="reply-actions">
        <Act busy="Stopping" run={() => press(turn, 'stop', {})} class="button small">
          <StopIcon /> Stop
        </Act>
        <Instead reply={reply} />
      </div>
    );
  }
  return (
    <div class="reply-actions">
      {reply.notices.length === 0 && <EndNote state={reply.state} />}
      {reply.retry && (
        <Act busy="Asking again" run={() => press(turn, 'retry', {})} class="button small">
          <Icon name="retry" size={15} /> Retry
        </Act>
      )}
      <Versions reply={reply} />
      {reply.text !== '' && <CopyButton text={() => readable(reply)} label="Copy answer" />}
      <Tools reply={reply} room={room} />
      <button type="button" class="tool" onClick={() => openPanel({ kind: 'receipt', turn })}>
        <Icon name="pulse" size={16} /> Show timeline
      </button>
    </div>
  );
}

/** Stops the running answer and asks the person's own waiting question. */
function Instead({ reply: { turn, state, ahead = 0, question } }: { reply: ReplyView }) {
  const mine = useSelect(({ messages, who }) =>
    Object.values(messages).some((list) =>
      list.some(({ id, author }) => id === question && author.id === who),
    ),
  );
  if (state !== 'waiting' || ahead === 0 || !mine) return null;
  return (
    <Act busy="Stopping" run={() => press(turn, 'instead', {})} class="button small">
      Ask this instead
    </Act>
  );
}

const endings: Partial<Record<ReplyView['state'], string>> = {
  partial: 'Interrupted',
  stopped: 'Stopped',
  failed: 'Not answered',
};

function EndNote({ state }: { state: ReplyView['state'] }) {
  const word = endings[state];
  return word ? <span class={`ending ${state}`}>{word}</span> : null;
}

/** Arrows to the previous and the next version of an answer. */
function Versions({ reply: { turn, editions } }: { reply: ReplyView }) {
  if (!editions) return null;
  const { shown, count } = editions;
  const arrow = (edition: number, label: string, icon: IconName) => {
    const run = () => press(turn, 'show', { edition, nonce: newNonce() });
    return (
      <Act class="tool" busy="…" label={label} off={edition < 1 || edition > count} run={run}>
        <Icon name={icon} size={16} />
      </Act>
    );
  };
  return (
    <fieldset class="versions" aria-label={`Version ${shown} of ${count}`}>
      {arrow(shown - 1, 'Show the earlier version', 'left')}
      <span aria-hidden="true">
        {shown}/{count}
      </span>
      {arrow(shown + 1, 'Show the later version', 'chevron')}
    </fieldset>
  );
}

/** Actions on an agent's answer that has ended. */
function Tools({ reply, room }: { reply: ReplyView; room: string }) {
  const isPrivate = useSelect((state) => roomOf(state, room)?.kind === 'direct');
  const { turn, state, text } = reply;
  if (!reply.agent || (state === 'failed' && text === '')) return null;
  return (
    <>
      {!reply.retry && (
        <Act class="tool" busy="Asking again" run={() => press(turn, 'regenerate', {})}>
          <Icon name="retry" size={16} /> Regenerate
        </Act>
      )}
      <ThumbButton reply={reply} thumb="up" label="Good answer" />
      <ThumbButton reply={reply} thumb="down" label="Bad answer" />
      <button type="button" class="tool" onClick={() => show({ dialog: { kind: 'another', turn } })}>
        <Icon name="ask" size={16} /> Ask another agent
      </button>
      {reply.correctable && (
        <Act class="tool" busy="Opening" run={() => openCorrection(turn)}>
          <Icon name="pen" size={16} /> Correct
        </Act>
      )}
      {isPrivate && text !== '' && (
        <button type="button" class="tool" onClick={() => show({ dialog: { kind: 'share', turn } })}>
          <Icon name="share" size={16} /> Share answer
        </button>
      )}
      {!isPrivate && reply.asMe && (
        <Act class="tool" busy="Asking" run={() => askAsMe(turn)}>
          <Icon name="lock" size={16} /> Ask in private
        </Act>
      )}
    </>
  );
}

function ThumbButton({ reply, thumb, label }: { reply: ReplyView; thumb: Thumb; label: string }) {
  const mine = useSelect((state) => reply.thumbs?.[state.who] === thumb);
  const count = Object.values(reply.thumbs ?? {}).filter((one) => one === thumb).length;
  const name = count > 0 ? `${label}, ${count}` : label;
  return (
    <Act class="tool" busy="…" label={name} pressed={mine} run={() => judge(reply, thumb)}>
      <Icon name={thumb === 'up' ? 'thumbUp' : 'thumbDown'} size={16} /> {count > 0 && count}
    </Act>
  );
}
