import { useEffect, useRef } from 'preact/hooks';

/**
 * When the component is unmounted, returns the focus to the element that had it before. If that element is gone too,
 * focuses the visible messages, so that the keyboard does not start over at the top of the page.
 */
export function useReturnedFocus(): void {
  const before = useRef<Element | null>(undefined);
  before.current ??= document.activeElement;
  useEffect(
    () => () => {
      const to = before.current;
      // Wait for the new layout: on a phone the element was hidden meanwhile.
      queueMicrotask(() => giveBack(to));
    },
    [],
  );
}

function giveBack(to: Element | null | undefined): void {
  if (to instanceof HTMLElement && to !== document.body && isInSight(to)) to.focus();
  else focusMessages();
}

export function focusMessages(): void {
  [...document.querySelectorAll<HTMLElement>('#main .timeline')].find(isInSight)?.focus();
}

function isInSight(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility({ visibilityProperty: true });
}
