/** Tests the answer to an edited question, which replaces the earlier answer in the same messages. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { EDITS, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

/** A text that fills two messages of Slack. */
const long = (word: string): string =>
  Array.from({ length: 2_000 }, (_, nth) => `${word} ${nth}.`).join('\n\n');
const bare = (text: string): string => text.replace(/\s+/g, '');

/** Shows a long answer, and returns the play of the turn that answers the edited question. */
async function edited(): Promise<{ readonly first: Play; readonly second: Play }> {
  const first = await playIn(rig, EDITS).show({ state: 'done', text: long('One') });
  const turn = {
    ...rig.ask(),
    message: first.turn.message,
    reply: first.turn.id,
    keptAt: first.clock.now + 60_000,
  };
  const second = playIn(rig, EDITS, turn);
  second.screen = first.screen;
  second.takeOver();
  return { first, second };
}

it.each([
  ['of the same length', long('Two')],
  ['that is longer', long('Three')],
])('shows an answer %s whole if the second message of the earlier answer is gone', async (_, text) => {
  const { first, second } = await edited();
  expect(rig.messages(first.turn)).toHaveLength(2);
  rig.remove(first.turn, 1);
  await second.show({ state: 'done', text });
  expect(bare(rig.texts(first.turn).join(''))).toBe(bare(text));
});
