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

const signal = new AbortController().signal;

/** Asks a question. Returns whether its answer still waits. `post`: when Slack answers to the post. */
async function asking(intake: () => Promise<IntakeResult>, post: Promise<unknown> = Promise.resolve()) {
  const clock = createVirtualClock();
  const questionPosts = createQuestionPosts(clock);
  const background = createBackground(quiet);
  const deps = { questionPosts, background, host: { intake }, calls: { call: () => post } };
  const asked = message({ id: 'C1/1.1' });
  const origin = { kind: 'act', key: 'k' } as const;
  const interaction = { deps, workspace: { tenant: 'T1' } } as never;
  await askInPublic(interaction, { origin, message: asked, said: 'Ada asks:' }).catch(() => undefined);
  let isWaiting = true;
  void questionPosts.wait(asked, signal).then(() => {
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

test('an answer waits for the post of its question, but at most 5 s', async () => {
  const { clock, isWaiting } = await asking(kept, new Promise(() => undefined));
  await clock.pass(4_999);
  expect(isWaiting()).toBe(true);
  await clock.pass(1);
  expect(isWaiting()).toBe(false);
});

test('posts that have ended make room for others', async () => {
  const clock = createVirtualClock();
  const posts = createQuestionPosts(clock);
  for (const round of ['first', 'second']) {
    for (let nth = 0; nth < 600; nth += 1)
      posts.begin(`${round} ${nth}`, Promise.reject(new Error('refused')));
    await clock.pass(0);
  }
  posts.begin('last', new Promise(() => undefined));
  let isWaiting = true;
  const waited = posts.wait({ id: 'last' }, signal).then(() => {
    isWaiting = false;
  });
  await clock.pass(4_000);
  expect(isWaiting).toBe(true);
  await clock.pass(1_000);
  await waited;
});
