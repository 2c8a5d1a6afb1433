import { Modal, ModalHead } from './dialog-form.tsx';

/** The key that starts shortcuts on this machine. */
export const COMMAND_KEY = /Mac|iP(?:hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl';

/** The shortcuts, as the help shows them. */
const shortcuts: readonly (readonly [keys: readonly string[], what: string])[] = [
  [[COMMAND_KEY, 'K'], 'Search, and go to a room, an agent or a message'],
  [['?'], 'Show these shortcuts'],
  [['Enter'], 'Send the message'],
  [['Shift', 'Enter'], 'Begin a new line'],
  [['@'], 'Choose the agent to ask'],
  [['↑'], 'Edit your last message, from an empty field'],
  [['↑', '↓'], 'Move in the list of rooms, and in menus'],
  [['Esc'], 'Close the panel, the thread or the dialog'],
];

const TITLE = 'Keyboard shortcuts';

export function Help() {
  return (
    <Modal title={TITLE} class="help">
      <ModalHead title={TITLE} />
      <dl>
        {shortcuts.map(([keys, what]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
