import { useEffect, useState } from 'preact/hooks';
import type { ReplyView } from '../../wire.ts';
import { after } from '../clock.ts';
import { copy, retry, stop } from '../state/acts.ts';
import { readable } from '../state/readable.ts';
import { openPanel } from '../state/session.ts';
import { Act } from './act.tsx';
import { Icon, StopIcon } from './icons.tsx';
import { ReplyTools, Versions } from './reply-tools.tsx';

/** Buttons of a reply: Stop while it runs, then the tools. */
export function ReplyActions({ reply, live, room }: { reply: ReplyView; live: boolean; room: string }) {
  if (live) {
    return (
      <div class="reply-actions">
        <Act busy="Stopping" run={() => stop(reply.turn)} class="button small">
          <StopIcon /> Stop
        </Act>
      </div>
    );
  }
  return (
    <div class="reply-actions">
      {reply.notices.length === 0 && <Ending state={reply.state} />}
      {reply.retry && (
        <Act busy="Asking again" run={() => retry(reply.turn)} class="button small">
          <Icon name="retry" size={15} /> Retry
        </Act>
      )}
      <Versions reply={reply} />
      {reply.text !== '' && <CopyButton text={() => readable(reply)} label="Copy answer" />}
      <ReplyTools reply={reply} room={room} />
      <button type="button" class="tool" onClick={() => openPanel({ kind: 'receipt', turn: reply.turn })}>
        <Icon name="pulse" size={16} /> Show timeline
      </button>
    </div>
  );
}

const endings: Partial<Record<ReplyView['state'], string>> = {
  partial: 'Interrupted',
  stopped: 'Stopped',
  failed: 'Not answered',
};

function Ending({ state }: { state: ReplyView['state'] }) {
  const word = endings[state];
  return word ? <span class={`ending ${state}`}>{word}</span> : null;
}

const COPIED_MS = 1_600;

export function CopyButton({ text, label }: { text: () => string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => (copied ? after(COPIED_MS, () => setCopied(false)) : undefined), [copied]);
  const press = () => {
    void copy(text()).then(setCopied);
  };
  return (
    <button type="button" class="tool" onClick={press} aria-label={copied ? 'Copied' : label} title={label}>
      <Icon name={copied ? 'check' : 'copy'} size={16} /> {copied ? 'Copied' : 'Copy'}
    </button>
  );
}
