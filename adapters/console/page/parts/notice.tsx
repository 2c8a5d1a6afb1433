import type { NoticeView } from '../../wire.ts';
import { Icon, type IconName } from './icons.tsx';

const noticeIcons: Readonly<Record<NoticeView['tone'], IconName>> = {
  info: 'info',
  warning: 'warn',
  error: 'warn',
};

interface NoticeProps extends NoticeView {
  /** Read out when it appears; not for notices of a reply, whose end is announced as a whole. */
  readonly alert?: boolean;
}

/** One line of the bridge's own. */
export function Notice({ tone, text, alert = false }: NoticeProps) {
  return (
    <p class={`notice ${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={noticeIcons[tone]} size={16} />
      <span>{text}</span>
    </p>
  );
}
