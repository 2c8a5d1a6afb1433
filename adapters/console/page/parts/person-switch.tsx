import type { ComponentChildren, TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { ConnectableView, PersonView } from '../../wire.ts';
import { connect, signOut, speakAs } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { walkItems } from './focus.ts';
import { Icon } from './icons.tsx';

/** Shows the current person: with a menu to switch to another, or, if the person has signed in, with *Sign out*. */
export function PersonSwitch() {
  const me = useSelect((state) => state.setup?.me);
  return me === undefined ? <PersonChoice /> : <SignedInPerson id={me} />;
}

function SignedInPerson({ id }: { id: string }) {
  const person = useSelect((state) => state.setup?.people.find((one) => one.id === id));
  const connects = useSelect((state) => state.setup?.connects) ?? [];
  if (!person) return null;
  return connects.length > 0 ? (
    <AccountMenu person={person} connects={connects} />
  ) : (
    <div class="person-switch signed-in">
      <span class="unseen">You are signed in as </span>
      <Person person={person} />
      <button type="button" class="button small" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}

interface AccountMenuProps {
  readonly person: PersonView;
  readonly connects: readonly ConnectableView[];
}

/** Shows the signed-in person, with a menu to connect their ids in other channels. */
function AccountMenu({ person, connects }: AccountMenuProps) {
  const menu = useMenu();
  return (
    <div class="person-switch">
      {menu.open && (
        <Menu label="Your account" onClose={menu.close}>
          {connects.map(({ channel, title }) => (
            <button
              key={channel}
              type="button"
              data-item
              role="menuitem"
              onClick={() => {
                menu.close();
                void connect(channel);
              }}
            >
              Connect {title}
            </button>
          ))}
          <button type="button" data-item role="menuitem" onClick={() => void signOut()}>
            Sign out
          </button>
        </Menu>
      )}
      <MenuOpener menu={menu} before="You are signed in as " after=". Open menu" person={person} />
    </div>
  );
}

function PersonChoice() {
  const people = useSelect((state) => state.setup?.people) ?? [];
  const who = useSelect((state) => state.who);
  const menu = useMenu();
  const person = people.find((one) => one.id === who);
  if (!person) return null;
  return (
    <div class="person-switch">
      {menu.open && (
        <Menu label="Speak as" onClose={menu.close}>
          {people.map((each) => (
            <button
              key={each.id}
              type="button"
              data-item
              role="menuitemradio"
              aria-checked={each.id === who}
              onClick={() => {
                speakAs(each.id);
                menu.close();
              }}
            >
              <Person person={each} />
              {each.id === who && <Icon name="check" size={16} />}
            </button>
          ))}
        </Menu>
      )}
      <MenuOpener menu={menu} before="You speak as " after=". Change" person={person} />
    </div>
  );
}

/** State of a menu, and the button that opens it and gets the focus back. */
function useMenu() {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return { open, opener, close, toggle: () => setOpen(!open) };
}

interface MenuOpenerProps {
  readonly menu: ReturnType<typeof useMenu>;
  /** Texts that screen readers read before and after the person's name. */
  readonly before: string;
  readonly after: string;
  readonly person: PersonView;
}

function MenuOpener({ menu, before, after, person }: MenuOpenerProps) {
  return (
    <button
      type="button"
      ref={menu.opener}
      class="person-button"
      aria-haspopup="menu"
      aria-expanded={menu.open}
      onClick={menu.toggle}
    >
      <span class="unseen">{before}</span>
      <Person person={person} />
      <span class="unseen">{after}</span>
      <Icon name="updown" size={16} />
    </button>
  );
}

function Person({ person }: { person: PersonView }) {
  return (
    <>
      <Avatar kind="person" id={person.id} name={person.name} />
      <span class="person-words">
        <span class="person-name">{person.name}</span>
        <span class="quiet">{person.title}</span>
      </span>
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
    const first = menu.current?.querySelector<HTMLElement>('[aria-checked="true"], [role="menuitem"]');
    first?.focus();
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !menu.current?.parentElement?.contains(event.target)) onClose();
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, []);
  const key = (event: TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.key !== 'Escape' && event.key !== 'Tab') return walkItems(event);
    event.stopPropagation();
    onClose();
  };
  return (
    <div class="person-menu" role="menu" aria-label={label} ref={menu} onKeyDown={key}>
      <p class="menu-title" aria-hidden="true">
        {label}
      </p>
      {children}
    </div>
  );
}
