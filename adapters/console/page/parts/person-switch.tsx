import type { PersonView } from '../../wire.ts';
import { connect, signOut, speakAs } from '../state/session.ts';
import { useSelect } from '../state/store.ts';
import { Avatar } from './avatar.tsx';
import { Icon } from './icons.tsx';
import { MenuButton, type MenuItem } from './menu.tsx';

/**
 * Shows the current person, with a menu: to switch to another, or, if the person has signed in, to connect their ids in
 * other channels and to sign out.
 */
export function PersonSwitch() {
  const { me, people = [], connects = [] } = useSelect((state) => state.setup) ?? {};
  const who = useSelect((state) => state.who);
  const person = people.find((one) => one.id === who);
  if (!person) return null;
  const account: readonly MenuItem[] = [
    ...connects.map(({ channel, title }) => ({ label: `Connect ${title}`, run: () => connect(channel) })),
    { label: 'Sign out', run: signOut },
  ];
  const choices = people.map((each) => ({
    label: <Person person={each} />,
    run: () => speakAs(each.id),
    checked: each.id === who,
  }));
  return (
    <div class="person-switch">
      <MenuButton
        title={me ? 'Your account' : 'Speak as'}
        items={me ? account : choices}
        class="person-button"
      >
        <span class="unseen">{me ? 'You are signed in as ' : 'You speak as '}</span>
        <Person person={person} />
        <span class="unseen">{me ? '. Open menu' : '. Change'}</span>
        <Icon name="updown" size={16} />
      </MenuButton>
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
