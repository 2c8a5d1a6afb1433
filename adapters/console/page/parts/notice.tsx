import type { NoticeView } from '../../wire.ts';
import { Icon, type IconName } from './icons.tsx';

const noticeIcons: Readonly<Record<NoticeView['tone'], IconName>> = {
  info: 'info',
  warning: 'warn',
  error: 'warn',
};

/** One line of the bridge's own. */
export function Notice({ tone, text }: NoticeView) {
  return (
    <p class={`notice ${tone}`} role={tone === 'error' ? 'alert' : undefined}>
      <Icon name={noticeIcons[tone]} size={16} />
      <span>{text}</span>
    </p>
  );
}
