import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { closePanel } from '../state/session.ts';
import { useReturnedFocus } from './focus.ts';
import { Icon } from './icons.tsx';

interface PanelFrameProps {
  readonly title: string;
  readonly note: string;
  readonly children: ComponentChildren;
}

/** The panel at the right edge; the focus enters it and returns to where it came from. */
export function PanelFrame({ title, note, children }: PanelFrameProps) {
  const close = useRef<HTMLButtonElement>(null);
  useReturnedFocus();
  useEffect(() => {
    if (!close.current?.closest('.panel')?.contains(document.activeElement)) close.current?.focus();
  }, []);
  return (
    <section class="pane panel" aria-label={title}>
      <header class="pane-head">
        <div class="pane-title">
          <h2>{title}</h2>
          <p>{note}</p>
        </div>
        <button
          type="button"
          class="icon-button"
          ref={close}
          aria-label={`Close ${title}`}
          onClick={closePanel}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}
