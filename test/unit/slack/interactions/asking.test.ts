/** An answer waits for the post of its question, and for nothing else. */

import { expect, test } from 'vitest';
import { askInPublic } from '../../../../adapters/slack/interactions/asking.ts';
import { createQuestionPosts } from '../../../../adapters/slack/interactions/preferences.ts';
import { createBackground } from '../../../../src/kit/background.ts';
import type { IntakeResult } from '../../../../src/kit/ladder.ts';
import { turnId } from '../../../../src/kit.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { message } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

/** Asks a question. Returns whether its answer still waits. `post`: when Slack answers to the post. */
async function asking(intake: () => Promise<IntakeResult>, post: Promise<unknown> = Promise.resolve()) {
  const clock = createVirtualClock();
  const questionPosts = createQuestionPosts();
  const background = createBackground(quiet);
  const deps = { questionPosts, background, host: { intake }, calls: { call: () => post } };
  const asked = message({ id: 'C1/1.1' });
  const origin = { kind: 'act', key: 'k' } as const;
  const interaction = { deps, workspace: { tenant: 'T1' } } as never;
  await askInPublic(interaction, { origin, message: asked, said: 'Ada asks:' }).catch(() => undefined);
  let isWaiting = true;
  void questionPosts.wait(asked).then(() => {
    isWaiting = false;
  });
  await clock.pass(0);
  return { clock, isWaiting: () => isWaiting };
}

const kept = async (): Promise<IntakeResult> => ({ kind: 'kept', turn: turnId('t'), ahead: 0 });

test.each<[string, () => Promise<IntakeResult>]>([
  ['could not be stored', () => Promise.reject(new Error('no store'))],
  ['was refused', async () => ({ kind: 'refused', tellUser: 'No.' })],
  ['was asked before', async () => ({ kind: 'duplicate', turn: turnId('t') })],
  ['was posted', kept],
])('nothing waits for a question that %s', async (_, intake) => {
  expect((await asking(intake)).isWaiting()).toBe(false);
});

test('an answer waits for the post of its question', async () => {
  const post = Promise.withResolvers<void>();
  const { clock, isWaiting } = await asking(kept, post.promise);
  expect(isWaiting()).toBe(true);
  post.resolve();
  await clock.pass(0);
  expect(isWaiting()).toBe(false);
});

test('posts that have ended make room for others', async () => {
  const clock = createVirtualClock();
  const posts = createQuestionPosts();
  for (const round of ['first', 'second']) {
    for (let nth = 0; nth < 600; nth += 1)
      posts.begin(`${round} ${nth}`, Promise.reject(new Error('refused')));
    await clock.pass(0);
  }
  const last = Promise.withResolvers<void>();
  posts.begin('last', last.promise);
  let isWaiting = true;
  const waited = posts.wait({ id: 'last' }).then(() => {
    isWaiting = false;
  });
  await clock.pass(0);
  expect(isWaiting).toBe(true);
  last.resolve();
  await waited;
});
