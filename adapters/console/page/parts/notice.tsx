import type { NoticeView } from '../../wire.ts';
import { Icon, type IconName } from './icons.tsx';

const noticeIcons: Readonly<Record<NoticeView['tone'], IconName>> = {
  info: 'info',
  warning: 'warn',
  error: 'warn',
};

interface NoticeProps extends NoticeView {
  /**
   * True if screen readers read the notice when it appears. Not set inside a reply, because the end of a reply is
   * announced anyway.
   */
  readonly alert?: boolean;
}

/** Shows a sentence of the bridge on a line. */
export function Notice({ tone, text, alert = false }: NoticeProps) {
  return (
    <p class={`notice ${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={noticeIcons[tone]} size={16} />
      <span>{text}</span>
    </p>
  );
}
