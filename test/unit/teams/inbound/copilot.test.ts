/** Tests questions from Microsoft 365 Copilot, over HTTP. */

import { expect, test } from 'vitest';
import { startRig } from '../rig.ts';

test('a question from Copilot is asked in a group chat of its own kind, which nobody can share into', async () => {
  const rig = await startRig({ app: { copilot: true } });
  const ada = rig.fake.tenant().person({ name: 'Ada' });
  const chat = ada.copilot();
  await ada.says(chat, 'When does it open?').delivery?.done;
  expect(rig.taken).toMatchObject([
    {
      kind: 'ask',
      message: {
        text: 'When does it open?',
        thread: { room: chat.id, key: `copilot|${encodeURIComponent(chat.id)}`, kind: 'group' },
      },
    },
  ]);
  expect([...rig.state.keys()].filter((key) => key.startsWith('met '))).toEqual([]);
  await rig.close();
});

test('Copilot does not offer an app that does not ask for it', async () => {
  const rig = await startRig();
  expect(() => rig.fake.tenant().person().copilot()).toThrow('does not offer the app');
  await rig.close();
});
