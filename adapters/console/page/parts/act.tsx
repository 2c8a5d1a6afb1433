import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ActProps {
  readonly run: () => Promise<void>;
  readonly busy: string;
  readonly class: string;
  /** Its name if its content is only an icon. */
  readonly label?: string;
  /** True while it is on, for a toggle button. */
  readonly pressed?: boolean;
  readonly off?: boolean;
  readonly children: ComponentChildren;
}

/** A button that is busy until its request has come back; it keeps the focus meanwhile, as a disabled one would not. */
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
