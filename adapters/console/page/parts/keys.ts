import { useLayoutEffect } from 'preact/hooks';
import type { RoomPlace } from '../state/model.ts';
import { lastOwn } from '../state/select.ts';
import { getState, show } from '../state/store.ts';

/** The key that starts shortcuts on this machine. */
export const COMMAND_KEY = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl';

/** The shortcuts, as the help shows them. */
export const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[COMMAND_KEY, 'K'], 'Search, and go to a room, an agent or a message'],
  [['?'], 'Show these shortcuts'],
  [['Enter'], 'Send the message'],
  [['Shift', 'Enter'], 'Begin a new line'],
  [['@'], 'Choose the agent to ask'],
  [['↑'], 'Edit your last message, from an empty field'],
  [['↑', '↓'], 'Move in the list of rooms, and in menus'],
  [['Esc'], 'Close the panel, the thread or the dialog'],
];

/** Handles the shortcuts that work everywhere on the page. */
export function useShortcuts(): void {
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const kind = dialogFor(event);
      if (kind === undefined || event.defaultPrevented) return;
      const { dialog } = getState();
      if (dialog !== undefined && dialog.kind !== 'palette' && dialog.kind !== 'help') return;
      event.preventDefault();
      show({ dialog: dialog?.kind === kind ? undefined : { kind } });
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}

function dialogFor({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent) {
  if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k') return 'palette';
  const isTyping = target instanceof Element && target.matches('input, textarea');
  return key === '?' && !ctrlKey && !metaKey && !isTyping ? 'help' : undefined;
}

/** Opens the person's last message in a room or thread for editing. */
export function editLast(event: KeyboardEvent, place: RoomPlace): void {
  const message = lastOwn(getState(), place);
  if (!message || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  show({ dialog: { kind: 'edit', message } });
}
