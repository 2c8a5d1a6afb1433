import type { ReplyView, Thumb } from '../../wire.ts';
import { act, askAsMe, judge, newNonce, press } from '../state/acts.ts';
import { isMine } from '../state/announce.ts';
import { readable } from '../state/readable.ts';
import { roomOf } from '../state/select.ts';
import { openPanel } from '../state/session.ts';
import { orToast, show, useSelect } from '../state/store.ts';
import { Act, CopyButton } from './controls.tsx';
import { AnotherDialog, CorrectDialog, NoteDialog } from './dialogs.tsx';
import { Icon, type IconName, StopIcon } from './icons.tsx';
import { MenuButton, type MenuItem } from './menu.tsx';
import { ShareDialog } from './share-dialog.tsx';

/** Buttons of a reply: Stop while the reply is being written, and the other actions after that. */
export function ReplyActions({ reply, live, room }: { reply: ReplyView; live: boolean; room: string }) {
  const { turn } = reply;
  if (live) {
    return (
      <div class="reply-actions">
        <Act busy="Stopping" run={() => press(turn, 'stop', {})} class="button small">
          <StopIcon /> Stop
        </Act>
        <Instead reply={reply} room={room} />
      </div>
    );
  }
  /** True if an agent wrote at least a part of an answer. */
  const answered = Boolean(reply.agent) && (reply.state !== 'failed' || reply.text !== '');
  return (
    <>
      {reply.notices.length === 0 && <EndNote state={reply.state} />}
      <div class="reply-actions">
        {reply.retry && (
          <Act busy="Asking again" run={() => press(turn, 'retry', {})} class="button small">
            <Icon name="retry" size={15} /> Retry
          </Act>
        )}
        <Versions reply={reply} />
        {reply.text !== '' && <CopyButton text={() => readable(reply)} label="Copy answer" />}
        {answered && !reply.retry && (
          <Act class="tool" busy="…" label="Regenerate" run={() => press(turn, 'regenerate', {})}>
            <Icon name="retry" size={16} />
          </Act>
        )}
        {answered && <ThumbButton reply={reply} thumb="up" label="Good answer" />}
        {answered && <ThumbButton reply={reply} thumb="down" label="Bad answer" />}
        <MoreActions reply={reply} room={room} answered={answered} />
      </div>
    </>
  );
}

/** Stops the running answer and asks the person's own waiting question. */
function Instead({ reply, room }: { reply: ReplyView; room: string }) {
  const { turn, state, ahead = 0 } = reply;
  const mine = useSelect((page) => isMine(page, room, reply));
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

/** The other actions on a reply that has ended, in a menu. */
function MoreActions({ reply, room, answered }: { reply: ReplyView; room: string; answered: boolean }) {
  const { turn, agent, text, correctable, asMe } = reply;
  const isPrivate = useSelect((state) => roomOf(state, room)?.kind === 'direct');
  const item = (visible: unknown, icon: IconName, label: string, run: () => unknown): readonly MenuItem[] =>
    visible ? [{ icon, label, run }] : [];
  const items = [
    ...item(answered, 'ask', 'Ask another agent', () =>
      show({ dialog: <AnotherDialog turn={turn} agent={agent} /> }),
    ),
    ...item(answered && correctable, 'pen', 'Correct', () => openCorrection(turn)),
    ...item(answered && isPrivate && text !== '', 'share', 'Share answer', () =>
      show({ dialog: <ShareDialog turn={turn} source={undefined} /> }),
    ),
    ...item(answered && !isPrivate && asMe, 'lock', 'Ask in private', () => askAsMe(turn)),
    ...item(true, 'pulse', 'Show timeline', () => openPanel({ kind: 'receipt', turn })),
  ];
  return (
    <div>
      <MenuButton title="More actions" items={items} class="tool" label="More actions">
        <Icon name="more" size={16} />
      </MenuButton>
    </div>
  );
}

/** Opens the form for a correction. If the person cannot correct the answer, shows the reason in a toast. */
function openCorrection(turn: string): Promise<void> {
  return orToast(async () => {
    const form = await act('/replies/:id/correction', {}, turn);
    show({ dialog: <CorrectDialog turn={turn} form={form} /> });
  });
}

function ThumbButton({ reply, thumb, label }: { reply: ReplyView; thumb: Thumb; label: string }) {
  const mine = useSelect((state) => reply.thumbs?.[state.who] === thumb);
  const askWhy = () => show({ dialog: <NoteDialog turn={reply.turn} /> });
  const count = Object.values(reply.thumbs ?? {}).filter((one) => one === thumb).length;
  const name = count > 0 ? `${label}, ${count}` : label;
  return (
    <Act class="tool" busy="…" label={name} pressed={mine} run={() => judge(reply, thumb, askWhy)}>
      <Icon name={thumb === 'up' ? 'thumbUp' : 'thumbDown'} size={16} /> {count > 0 && count}
    </Act>
  );
}
