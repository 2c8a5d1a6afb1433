import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PersonView } from '../../wire.ts';
import { signOut, speakAs } from '../state/session.ts';
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
  if (!person) return null;
  return (
    <div class="person-switch signed-in">
      <span class="unseen">You are signed in as </span>
      <Person person={person} />
      <button type="button" class="button small" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
}

function PersonChoice() {
  const people = useSelect((state) => state.setup?.people) ?? [];
  const who = useSelect((state) => state.who);
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const person = people.find((one) => one.id === who);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  const choose = (id: string) => {
    speakAs(id);
    close();
  };
  if (!person) return null;
  return (
    <div class="person-switch">
      {open && <PersonMenu people={people} who={who} onChoose={choose} onClose={close} />}
      <button
        type="button"
        ref={opener}
        class="person-button"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span class="unseen">You speak as </span>
        <Person person={person} />
        <span class="unseen">. Change</span>
        <Icon name="updown" size={16} />
      </button>
    </div>
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

interface PersonMenuProps {
  readonly people: readonly PersonView[];
  readonly who: string;
  readonly onChoose: (id: string) => void;
  readonly onClose: () => void;
}

function PersonMenu({ people, who, onChoose, onClose }: PersonMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    menu.current?.querySelector<HTMLElement>('[aria-checked="true"]')?.focus();
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
    <div class="person-menu" role="menu" aria-label="Speak as" ref={menu} onKeyDown={key}>
      <p class="menu-title" aria-hidden="true">
        Speak as
      </p>
      {people.map((person) => (
        <button
          key={person.id}
          type="button"
          data-item
          role="menuitemradio"
          aria-checked={person.id === who}
          onClick={() => onChoose(person.id)}
        >
          <Person person={person} />
          {person.id === who && <Icon name="check" size={16} />}
        </button>
      ))}
    </div>
  );
}
