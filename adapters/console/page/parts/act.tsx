import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ActProps {
  readonly run: () => Promise<void>;
  readonly busy: string;
  readonly class: string;
  /** What it does, where its content is a picture only. */
  readonly label?: string;
  /** Whether it is on, for a button that stays on. */
  readonly pressed?: boolean;
  readonly off?: boolean;
  readonly children: ComponentChildren;
}

/** A button that is busy until its request has come back. */
export function Act({ run, busy, label, pressed, off = false, children, class: className }: ActProps) {
  const [running, setRunning] = useState(false);
  const press = () => {
    setRunning(true);
    void run().finally(() => setRunning(false));
  };
  return (
    <button
      type="button"
      class={className}
      onClick={press}
      disabled={running || off}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
    >
      {running ? busy : children}
    </button>
  );
}
