/** Tests the repair of a reply beside which calls of unknown outcome may have left messages. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Turn } from '../../../../src/kit.ts';
import { EDITS, Play } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

const TEXT = 'Two years from the day of purchase.';

/** Repairs the played reply, whose turn ended at `endedAt`. */
async function repair({ turn, screen, document }: Play, endedAt: number): Promise<void> {
  const origin = { kind: 'show', of: turn.id, key: 'repair', strays: [] } as const;
  const again = new Play(rig, undefined, { ...turn, origin, keptAt: endedAt });
  again.screen = screen;
  again.document = document;
  again.takeOver();
  await again.rest();
}

/** Opens a stream in the thread of the turn, and shows its first words. */
async function openStream(turn: Turn): Promise<Play> {
  const play = new Play(rig, undefined, turn);
  await play.show({ state: 'writing', text: 'Two years' });
  return play;
}

it('removes a second message of the reply, and a stream that was opened before the turn ended', async () => {
  const play = await new Play(rig, EDITS).show({ state: 'done', text: TEXT });
  await new Play(rig, EDITS, play.turn).show({ state: 'done', text: TEXT });
  await openStream(play.turn);
  expect(rig.texts(play.turn)).toHaveLength(3);
  await repair(play, Number.MAX_SAFE_INTEGER);
  expect(rig.texts(play.turn)).toEqual([TEXT]);
});

it('leaves the streams and messages of other replies in the thread', async () => {
  const play = await new Play(rig, EDITS).show({ state: 'done', text: TEXT });
  const { message } = play.turn;
  const other = { ...rig.ask(), message };
  await new Play(rig, EDITS, other).show({ state: 'done', text: 'Three.' });
  const last = rig.messages(play.turn).at(-1);
  const later = await openStream({ ...rig.ask(), message });
  await repair(play, Number(last?.ts) * 1_000);
  expect(rig.texts(play.turn)).toEqual([TEXT, 'Three.', 'Two years']);
  await later.show({ state: 'done', text: TEXT });
});
