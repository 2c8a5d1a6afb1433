import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * When the component is unmounted, returns the focus to the element that had it before. If that element is gone too,
 * focuses the visible messages; otherwise keyboard users would start again at the top of the page.
 */
export function useReturnedFocus(): void {
  const before = useRef<Element | null>(undefined);
  before.current ??= document.activeElement;
  // Not `useEffect`: its cleanup runs after the paint, and would move the focus away from an element that the person has
  // focused meanwhile.
  useLayoutEffect(
    () => () => {
      const to = before.current;
      // Wait for the new layout: on a phone, the element is hidden until this component is gone.
      queueMicrotask(() => returnFocus(to));
    },
    [],
  );
}

function returnFocus(to: Element | null | undefined): void {
  if (to instanceof HTMLElement && to !== document.body && isInSight(to)) to.focus();
  else focusMessages();
}

export function focusMessages(): void {
  [...document.querySelectorAll<HTMLElement>('#main .timeline')].find(isInSight)?.focus();
}

function isInSight(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility({ visibilityProperty: true });
}

/** Moves the focus among the `data-item` elements of a list with the arrow keys, Home and End. */
export function walkItems(event: TargetedKeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-item]')];
  const at = items.findIndex((item) => item.matches(':focus'));
  const step = {
    ArrowDown: 1,
    ArrowRight: 1,
    ArrowUp: -1,
    ArrowLeft: -1,
    Home: -items.length,
    End: items.length,
  }[event.key];
  if (at < 0 || step === undefined) return;
  event.preventDefault();
  items[Math.min(Math.max(at + step, 0), items.length - 1)]?.focus();
}
