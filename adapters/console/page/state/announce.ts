import type { MessageView } from '../../wire.ts';
import { isLive } from './messages.ts';
import type { PageState } from './model.ts';

const READ_OUT_CHARS = 240;

const endings = {
  done: 'answered',
  partial: 'broke off',
  stopped: 'was stopped',
  failed: 'could not answer',
  withdrawn: 'was taken back',
} as const;

/** The words for screen readers when a reply of the open room ends; else those that stand. */
export function announce(state: PageState, before: MessageView | undefined, after: MessageView): string {
  const reply = after.reply;
  if (!reply || !before?.reply || !isLive(before.reply)) return state.announcement;
  if (after.room !== state.place.room) return state.announcement;
  if (reply.state === 'waiting' || reply.state === 'thinking' || reply.state === 'writing')
    return state.announcement;
  const said = plain(reply.text || (reply.notices[0]?.text ?? ''));
  return `${after.author.name} ${endings[reply.state]}${said ? `: ${said}` : '.'}`;
}

function plain(markdown: string): string {
  const text = markdown
    .slice(0, READ_OUT_CHARS * 4)
    .replace(/[*_`#>|[\]()~-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > READ_OUT_CHARS ? `${text.slice(0, READ_OUT_CHARS)}…` : text;
}
