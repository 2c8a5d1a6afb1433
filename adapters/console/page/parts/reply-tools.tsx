import type { ReplyView, Thumb } from '../../wire.ts';
import { askAsMe, judge, regenerate, showVersion } from '../state/reply-acts.ts';
import { roomOf } from '../state/select.ts';
import { dispatch, useSelect } from '../state/store.ts';
import { Act } from './act.tsx';
import { Icon, type IconName } from './icons.tsx';

/** The arrows between the versions of an answer. */
export function Versions({ reply: { turn, editions } }: { reply: ReplyView }) {
  if (!editions) return null;
  const { shown, count } = editions;
  return (
    <fieldset class="versions" aria-label={`Version ${shown} of ${count}`}>
      <Arrow turn={turn} to={shown - 1} off={shown <= 1} label="Show the earlier version" icon="left" />
      <span aria-hidden="true">
        {shown}/{count}
      </span>
      <Arrow turn={turn} to={shown + 1} off={shown >= count} label="Show the later version" icon="chevron" />
    </fieldset>
  );
}

interface ArrowProps {
  readonly turn: string;
  readonly to: number;
  readonly off: boolean;
  readonly label: string;
  readonly icon: IconName;
}

function Arrow({ turn, to, off, label, icon }: ArrowProps) {
  return (
    <Act class="tool" busy="…" label={label} off={off} run={() => showVersion(turn, to)}>
      <Icon name={icon} size={16} />
    </Act>
  );
}

/** Buttons of an answer that has ended. */
export function ReplyTools({ reply, room }: { reply: ReplyView; room: string }) {
  const isPrivate = useSelect((state) => roomOf(state, room)?.kind === 'direct');
  if (!reply.agent || (reply.state === 'failed' && reply.text === '')) return null;
  return (
    <>
      {!reply.retry && (
        <Act class="tool" busy="Asking again" run={() => regenerate(reply.turn)}>
          <Icon name="retry" size={16} /> Regenerate
        </Act>
      )}
      <ThumbButton reply={reply} thumb="up" label="Good answer" icon="thumbUp" />
      <ThumbButton reply={reply} thumb="down" label="Bad answer" icon="thumbDown" />
      <button type="button" class="tool" onClick={() => openAnother(reply.turn)}>
        <Icon name="ask" size={16} /> Ask another agent
      </button>
      {isPrivate && reply.text !== '' && (
        <button type="button" class="tool" onClick={() => openShare(reply.turn)}>
          <Icon name="share" size={16} /> Share answer
        </button>
      )}
      {!isPrivate && reply.asMe && (
        <Act class="tool" busy="Asking" run={() => askAsMe(reply.turn)}>
          <Icon name="lock" size={16} /> Ask in private
        </Act>
      )}
    </>
  );
}

function openShare(turn: string): void {
  dispatch({ type: 'dialog', dialog: { kind: 'share', turn } });
}

function openAnother(turn: string): void {
  dispatch({ type: 'dialog', dialog: { kind: 'another', turn } });
}

interface ThumbProps {
  readonly reply: ReplyView;
  readonly thumb: Thumb;
  readonly label: string;
  readonly icon: IconName;
}

function ThumbButton({ reply, thumb, label, icon }: ThumbProps) {
  const mine = useSelect((state) => reply.thumbs?.[state.who] === thumb);
  const count = Object.values(reply.thumbs ?? {}).filter((one) => one === thumb).length;
  const name = count > 0 ? `${label}, ${count}` : label;
  return (
    <Act class="tool" busy="…" label={name} pressed={mine} run={() => judge(reply, thumb)}>
      <Icon name={icon} size={16} /> {count > 0 && count}
    </Act>
  );
}
