import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SafeDestination } from '../../../../src/kit/ladder.ts';
import { after } from '../clock.ts';
import { copy } from '../state/acts.ts';
import { Icon, type IconName } from './icons.tsx';

interface ActProps {
  readonly run: () => Promise<void>;
  /** Label of the button while its request runs. */
  readonly busy: string;
  readonly class: string;
  /** Name for screen readers if the button shows only an icon. */
  readonly label?: string;
  /** State of a toggle button; absent for any other button. */
  readonly pressed?: boolean;
  readonly off?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A button that is busy until its request has ended. It is never `disabled`, because a disabled button loses the focus.
 */
export function Act({ run, busy, label, pressed, off = false, children, class: className }: ActProps) {
  const [running, setRunning] = useState(false);
  const press = () => {
    if (running || off) return;
    setRunning(true);
    void run().finally(() => setRunning(false));
  };
  return (
    <button
      type="button"
      class={className}
      onClick={press}
      aria-disabled={running || off}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
    >
      {running ? busy : children}
    </button>
  );
}

interface IconButtonProps {
  readonly icon: IconName;
  /** Name for screen readers, also shown as a tooltip. */
  readonly label: string;
  readonly onClick: () => void;
  readonly class?: string;
  readonly size?: number;
}

export function IconButton({
  icon,
  label,
  onClick,
  class: className = 'icon-button',
  size,
}: IconButtonProps) {
  return (
    <button type="button" class={className} aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} {...(size && { size })} />
    </button>
  );
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
      <Icon name={copied ? 'check' : 'copy'} size={16} />{' '}
      <span class="tool-name">{copied ? 'Copied' : 'Copy'}</span>
    </button>
  );
}

interface OutLinkProps {
  readonly to: SafeDestination;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** A link to another site. Opens a new tab that cannot access this page. Its tooltip shows the host. */
export function OutLink({ to, class: className, children }: OutLinkProps) {
  return (
    <a class={className} href={to.href} target="_blank" rel="noreferrer noopener nofollow" title={to.host}>
      {children}
    </a>
  );
}
