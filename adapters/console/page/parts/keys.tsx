import { useLayoutEffect } from 'preact/hooks';
import type { RoomPlace } from '../state/model.ts';
import { lastOwn } from '../state/select.ts';
import { getState, show } from '../state/store.ts';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';

/** Handles the shortcuts that work everywhere on the page. */
export function useShortcuts(): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const Wanted = dialogFor(event);
      if (Wanted === undefined || event.defaultPrevented) return;
      const { dialog } = getState();
      if (dialog !== undefined && dialog.type !== Palette && dialog.type !== Help) return;
      event.preventDefault();
      show({ dialog: dialog?.type === Wanted ? undefined : <Wanted /> });
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}

function dialogFor({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent) {
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') return Palette;
  const isTyping = target instanceof Element && target.matches('input, textarea');
  return key === '?' && !ctrlKey && !metaKey && !isTyping ? Help : undefined;
}

/** Opens the person's last message in a room or thread for editing. */
export function editLast(event: KeyboardEvent, place: RoomPlace): void {
  const message = lastOwn(getState(), place);
  if (!message || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  show({ editing: { id: message.id, thread: place.thread, text: message.text } });
}
