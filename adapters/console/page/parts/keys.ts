import type { TargetedKeyboardEvent } from 'preact';

/** Arrow keys, Home and End walk through the `data-item` elements of a list. */
export function walkItems(event: TargetedKeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-item]')];
  const at = items.findIndex((item) => item.matches(':focus'));
  const to = destination(event.key, at, items.length);
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  items[to]?.focus();
}

function destination(key: string, at: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
    case 'ArrowLeft':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
