/** Tests uploaded images, which Slack processes for about 1 s. Until then, it refuses blocks that contain them. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentName, type Media } from '../../../../src/kit/ladder.ts';
import type { Move } from '../../../../src/kit.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { EDITS, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

const LOOK_GAP_MS = 400;
const clock = createVirtualClock();
let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ clock, processingMs: 1_000 });
});
afterAll(() => rig.close());

const image: Media = { id: '1', kind: 'image', name: 'Sales by year', ref: { kind: 'file-id', id: '1' } };

/** Advances the clock between two checks of a file by the gap that the budgets require. */
const paced = (moves: readonly Move[]): Move | undefined => {
  if (moves[0]?.family === 'files.info') clock.jump(LOOK_GAP_MS);
  return moves[0];
};

it('waits until Slack has processed the image, then shows it with its alternative text', async () => {
  const play = playIn(rig, paced);
  await play.show({ state: 'writing', text: 'See' });
  await play.show({ state: 'done', text: 'See this.', media: [image] });
  const looks = play.moves.filter(({ family }) => family === 'files.info');
  expect(looks.length).toBe(3);
  expect(play.moves.filter(({ outcome }) => outcome.kind === 'refused')).toEqual([]);
  const shown = rig.messages(play.turn)[0]?.blocks.find(({ type }) => type === 'image');
  expect(shown).toMatchObject({ alt_text: 'Sales by year' });
  const [file] = [...rig.fake.workspace().state.files.values()];
  expect(file?.altText).toBe('Sales by year');
});

it('names an image that Slack never finishes processing', async () => {
  const play = playIn(rig, ([move]) => move);
  await play.show({ state: 'done', text: 'See this.', media: [image] });
  const [message] = rig.messages(play.turn);
  expect(message?.blocks.map(({ type }) => type)).not.toContain('image');
  expect(JSON.stringify(message?.blocks)).toContain('- Sales by year');
});

it('shows the image at once if the workspace has no `files.info`', async () => {
  const play = playIn(rig, (moves) => {
    if (moves[0]?.family === 'files.info') clock.jump(2_000);
    return moves[0];
  });
  rig.fake.plant({ kind: 'error', error: 'missing_scope', method: 'files.info' });
  await play.show({ state: 'done', text: 'See this.', media: [image] });
  expect(rig.messages(play.turn)[0]?.blocks.map(({ type }) => type)).toContain('image');
});

it.each([
  'an edit',
  'a stream',
])('shows an image in %s that Slack refuses at first, and keeps the rest', async (way) => {
  const play = playIn(rig, (moves) => {
    if (moves[0]?.family === 'files.info') clock.jump(2_000);
    return (way === 'an edit' ? EDITS : ([first]: readonly Move[]) => first)(moves);
  });
  const table = '| a |\n| - |\n| b |\n\n';
  await play.show({ state: 'writing', text: table });
  // An edit shows the text first, and the image when it is known.
  const fault = way === 'an edit' ? { method: 'chat.update', after: 1 } : { method: 'chat.stopStream' };
  rig.fake.plant({ kind: 'error', error: 'invalid_blocks', count: 1, ...fault });
  await play.show({
    state: 'done',
    text: `${table}See this.`,
    media: [image],
    agent: agentName('knowledge'),
  });
  rig.fake.clearFaults();
  const types = rig.messages(play.turn)[0]?.blocks.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['table', 'image', 'context_actions']));
  expect(play.families().filter((family) => family === 'update').length).toBeLessThan(6);
});

it('names an image that Slack refuses for good', async () => {
  const play = playIn(rig, (moves) => {
    if (moves[0]?.family === 'files.info') clock.jump(2_000);
    return EDITS(moves);
  });
  await play.show({ state: 'writing', text: 'See' });
  const file = rig.fake.workspace().state.unsupported.add('image');
  await play.show({ state: 'done', text: 'See this.', media: [image] });
  file.delete('image');
  const blocks = rig.messages(play.turn)[0]?.blocks;
  expect(JSON.stringify(blocks)).toContain('- Sales by year');
  expect(blocks?.map(({ type }) => type)).not.toContain('image');
});
