/** Tests answers to questions that are deleted before the bridge learns of it. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { EDITS, only, type Play, playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

const closed: string[] = [];
let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ closed: (_, error) => void closed.push(error) });
});
afterAll(() => rig.close());

const visible = (play: Play) =>
  rig.fake
    .messages(play.turn.message.thread.room)
    .filter(({ app, deletedAt }) => app && deletedAt === undefined)
    .filter(({ metadata }) => JSON.stringify(metadata).includes(`"${play.turn.id}"`));

// https://github.com/langchain-ai/open-swe/pull/2753, https://github.com/PostHog/posthog/pull/83601
it.each([
  ['grows by edits', EDITS],
  ['is posted once', only('chat.postMessage', 'chat.delete')],
])('an answer that %s does not stay in the channel', async (_, choose) => {
  const play = playIn(rig, choose);
  rig.removeQuestion(play.turn);
  play.change({ state: 'done', text: 'Two years.' });
  while (!play.screen.finished && (await play.step()));
  expect(visible(play)).toEqual([]);
  expect(play.moves.at(-1)?.outcome).toEqual({ kind: 'refused', why: 'gone' });
  expect(closed).toEqual([]);
});

it('an answer that cannot be deleted is removed with its question', async () => {
  const play = playIn(rig, EDITS);
  rig.removeQuestion(play.turn);
  rig.fake.plant({ kind: 'status', status: 500, method: 'chat.delete', count: 1 });
  await play.show({ state: 'writing', text: 'Two' });
  expect(visible(play)).toHaveLength(1);
  await play.show({ state: 'withdrawn' });
  expect(visible(play)).toEqual([]);
});

it('an answer in a thread with other replies stays in the thread', async () => {
  const play = playIn(rig, EDITS);
  await play.show({ state: 'writing', text: 'Two' });
  rig.removeQuestion(play.turn);
  await play.show({ state: 'done', text: 'Two years.' });
  expect(rig.texts(play.turn)).toEqual(['Two years.']);
});
