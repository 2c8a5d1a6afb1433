import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { closePanel } from '../state/session.ts';
import { IconButton } from './controls.tsx';
import { useReturnedFocus } from './focus.ts';

interface PanelFrameProps {
  readonly title: string;
  readonly note: string;
  /** Stands beside the button that closes the panel. */
  readonly tool?: ComponentChildren;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}

/** Panel at the right edge. It takes the focus when it opens, and gives the focus back when it closes. */
export function PanelFrame({ title, note, tool, onClose = closePanel, children }: PanelFrameProps) {
  const panel = useRef<HTMLElement>(null);
  useReturnedFocus();
  useLayoutEffect(() => {
    if (!panel.current?.contains(document.activeElement)) panel.current?.querySelector('button')?.focus();
  }, []);
  return (
    <section class="pane panel" ref={panel} aria-label={title}>
      <header class="pane-head">
        <div class="pane-title">
          <h2>{title}</h2>
          <p>{note}</p>
        </div>
        {tool}
        <IconButton icon="close" label={`Close ${title}`} onClick={onClose} />
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}
