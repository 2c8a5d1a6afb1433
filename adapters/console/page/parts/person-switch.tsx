import type { PersonView } from '../../wire.ts';
import { connect, signOut, speakAs } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { Icon } from './icons.tsx';
import { Menu, MenuItem, type MenuState, useMenu } from './menu.tsx';

/** Shows the current person, with a menu: to switch to another, or, if the person has signed in, for their account. */
export function PersonSwitch() {
  const me = useSelect((state) => state.setup?.me);
  return me === undefined ? <PersonChoice /> : <SignedInPerson id={me} />;
}

/** Shows the signed-in person, with a menu to connect their ids in other channels and to sign out. */
function SignedInPerson({ id }: { id: string }) {
  const person = useSelect((state) => state.setup?.people.find((one) => one.id === id));
  const connects = useSelect((state) => state.setup?.connects) ?? [];
  const menu = useMenu();
  if (!person) return null;
  return (
    <div class="person-switch">
      {menu.open && (
        <Menu label="Your account" onClose={menu.close}>
          {connects.map(({ channel, title }) => (
            <MenuItem key={channel} menu={menu} run={() => connect(channel)}>
              Connect {title}
            </MenuItem>
          ))}
          <MenuItem menu={menu} run={signOut}>
            Sign out
          </MenuItem>
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

interface MenuOpenerProps {
  readonly menu: MenuState;
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
