import { useEffect, useRef } from 'preact/hooks';

/**
 * Gives the focus back, when the component goes, to what had it before the component was drawn. Where that has gone
 * too, the messages in sight get it, so that the keyboard never starts over at the top of the page.
 */
export function useReturnedFocus(): void {
  const before = useRef<Element | null>(undefined);
  before.current ??= document.activeElement;
  useEffect(
    () => () => {
      const to = before.current;
      // The page is laid out again first: on a phone what had the focus was hidden meanwhile.
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

export function isInSight(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility({ visibilityProperty: true });
}
