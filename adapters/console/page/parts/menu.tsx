import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { walkItems } from './focus.ts';
import { Icon, type IconName } from './icons.tsx';

export interface MenuItem {
  readonly icon?: IconName;
  readonly label: ComponentChildren;
  readonly run: () => unknown;
  /** State of an item of which only one is chosen; absent for any other item. */
  readonly checked?: boolean;
}

interface MenuButtonProps {
  /** Title of the menu. */
  readonly title: string;
  readonly items: readonly MenuItem[];
  readonly class: string;
  /** Name for screen readers if the button shows only an icon. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A button that opens a menu, and gets the focus back. It must be the only child of its parent. */
export function MenuButton({ title, items, class: className, label, children }: MenuButtonProps) {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  const press = (run: MenuItem['run']) => {
    close();
    void run();
  };
  return (
    <>
      <button
        type="button"
        ref={opener}
        class={className}
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <Menu label={title} onClose={close}>
          {items.map(({ icon, label: words, run, checked }, index) => (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: an item with the attribute has the role menuitemradio
            <button
              key={index}
              type="button"
              data-item
              role={checked === undefined ? 'menuitem' : 'menuitemradio'}
              aria-checked={checked}
              onClick={() => press(run)}
            >
              {icon && <Icon name={icon} size={16} />}
              {words}
              {checked && <Icon name="check" size={16} />}
            </button>
          ))}
        </Menu>
      )}
    </>
  );
}

interface MenuProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

function Menu({ label, onClose, children }: MenuProps) {
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
