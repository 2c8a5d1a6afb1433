/** Tests the repair of a reply beside which calls of unknown outcome may have left messages. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Turn } from '../../../../src/kit.ts';
import { EDITS, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const TEXT = 'Two years from the day of purchase.';

/** Repairs the played reply. */
async function repair({ turn, screen, document }: Play): Promise<void> {
  const origin = { kind: 'show', of: turn.id, key: 'repair', strays: [] } as const;
  const again = playIn(rig, undefined, { ...turn, origin });
  again.screen = screen;
  again.document = document;
  again.takeOver();
  await again.rest();
}

/** Opens a stream in the thread of the turn, and shows its first words. */
async function openStream(turn: Turn): Promise<Play> {
  const play = playIn(rig, undefined, turn);
  await play.show({ state: 'writing', text: 'Two years' });
  return play;
}

/** Shows a reply whose first post is lost, so that its outcome is unknown. */
async function doubted(): Promise<Play> {
  const play = playIn(rig, EDITS);
  rig.fake.plant({ kind: 'refuse', method: 'chat.postMessage', count: 1 });
  return play.show({ state: 'done', text: TEXT });
}

it('removes a second message of the reply if the outcome of a post was unknown', async () => {
  const play = await doubted();
  await playIn(rig, EDITS, play.turn).show({ state: 'done', text: TEXT });
  expect(rig.texts(play.turn)).toEqual([TEXT, TEXT]);
  await repair(play);
  expect(rig.texts(play.turn)).toEqual([TEXT]);
});

it('searches nothing if the outcome of each post was known', async () => {
  const play = await playIn(rig, EDITS).show({ state: 'done', text: TEXT });
  const searches = () => rig.fake.log.calls.filter(({ method }) => method === 'conversations.replies').length;
  const before = searches();
  await repair(play);
  expect(searches()).toBe(before);
});

it('leaves the streams and messages of other replies in the thread', async () => {
  const play = await doubted();
  const { message } = play.turn;
  const other = { ...rig.ask(), message };
  await playIn(rig, EDITS, other).show({ state: 'done', text: 'Three.' });
  const later = await openStream({ ...rig.ask(), message });
  await repair(play);
  expect(rig.texts(play.turn)).toEqual([TEXT, 'Three.', 'Two years']);
  await later.show({ state: 'done', text: TEXT });
});
