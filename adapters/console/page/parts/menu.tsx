import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { walkItems } from './focus.ts';
import { Icon, type IconName } from './icons.tsx';

export type MenuState = ReturnType<typeof useMenu>;

/** State of a menu, and the button that opens it and gets the focus back. */
export function useMenu() {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return { open, opener, close, toggle: () => setOpen(!open) };
}

interface MenuProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Menu({ label, onClose, children }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (menu.current) place(menu.current);
    const first = menu.current?.querySelector<HTMLElement>('[aria-checked="true"], [role="menuitem"]');
    first?.focus({ preventScroll: true });
    const outside = (event: Event) => {
      if (event.target instanceof Node && !menu.current?.parentElement?.contains(event.target)) onClose();
    };
    const ended = new AbortController();
    document.addEventListener('pointerdown', outside, ended);
    document.addEventListener('wheel', outside, ended);
    window.addEventListener('resize', onClose, ended);
    return () => ended.abort();
  }, []);
  const key = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'Escape' && event.key !== 'Tab') return walkItems(event);
    event.stopPropagation();
    onClose();
  };
  return (
    <div class="menu" role="menu" aria-label={label} ref={menu} onKeyDown={key}>
      <p class="menu-title" aria-hidden="true">
        {label}
      </p>
      {children}
    </div>
  );
}

const GAP_PX = 4;

/** Places a menu above its button, or below it if there is more space. A list that scrolls does not clip it. */
function place(menu: HTMLElement): void {
  const { top, bottom, left } = (menu.parentElement ?? menu).getBoundingClientRect();
  const { offsetHeight: height, offsetWidth: width } = menu;
  const above = top - height - GAP_PX;
  menu.style.top = `${above >= GAP_PX || top > innerHeight - bottom ? Math.max(above, GAP_PX) : bottom + GAP_PX}px`;
  menu.style.left = `${Math.max(GAP_PX, Math.min(left, innerWidth - width - 2 * GAP_PX))}px`;
}

interface MenuItemProps {
  readonly menu: MenuState;
  readonly icon?: IconName;
  readonly run: () => unknown;
  readonly children: ComponentChildren;
}

export function MenuItem({ menu, icon, run, children }: MenuItemProps) {
  const press = () => {
    menu.close();
    void run();
  };
  return (
    <button type="button" data-item role="menuitem" onClick={press}>
      {icon && <Icon name={icon} size={16} />}
      {children}
    </button>
  );
}
