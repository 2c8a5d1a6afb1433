import { Modal, ModalHead } from './dialog-form.tsx';
import { shortcuts } from './keys.ts';

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
