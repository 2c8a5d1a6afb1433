/** Tests that a typed command that acts on an answer is refused as a button is: only its author reads why (attack S26). */

import { afterEach, expect, test } from 'vitest';
import type { RoomPage } from '../../../adapters/console/wire.ts';
import { json, openRig, type Rig } from './rig.ts';

let rig: Rig;
afterEach(() => rig.close());

test.each([
  ['stop', 403, 0],
  [' /Instead', 403, 0],
  ['sources', 403, 0],
  ['stop the rain?', 200, 1],
])('“%s” that the bridge refuses is answered with %d and %d notes', async (text, status, notes) => {
  rig = await openRig();
  rig.host.answer = () => ({ kind: 'refused', tellUser: 'You may not.' });
  const body = json({ as: 'designer', text: `@knowledge ${text}`, files: [], nonce: 'n' });
  const answer = await rig.call('/console/rooms/general/messages', body);
  expect(answer.status).toBe(status);
  expect((await answer.text()).includes('You may not.')).toBe(status === 403);
  const page = await rig.get<RoomPage>('/console/rooms/general');
  const [{ id } = { id: '' }] = page.messages;
  const thread = JSON.stringify(await rig.get<unknown>(`/console/rooms/general/threads/${id}`));
  expect(thread.split('You may not.').length - 1).toBe(notes);
});
