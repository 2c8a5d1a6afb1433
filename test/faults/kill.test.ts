/**
 * Kills the bridge with kill -9 at random moments, with replies in every stage (F32). Afterwards, each question has
 * exactly one reply, and that reply has ended.
 */

import { expect, test } from 'vitest';
import type { MessageView } from '../../adapters/console/wire.ts';
import { eachWithBridge } from '../e2e/house/bridge-rig.ts';
import { ended } from '../e2e/house/console-client.ts';
import { seeded } from '../fakes/seeded.ts';

const ROUNDS = 3;
const QUESTIONS = [
  '@slow-demo write',
  '@parley How long is a visitor pass valid?',
  '@echo say it',
  '@kb-demo badges',
];
const LONGEST_MS = 1_500;

const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);
const bridge = eachWithBridge();

test(`kill -9 in ${ROUNDS} rounds, seed ${seed}`, async () => {
  const random = seeded(seed);
  const asked: MessageView[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const person = await bridge.start();
    for (const question of QUESTIONS) asked.push(await person.say(`${question} (round ${round})`));
    const root = asked.at(-4);
    if (root) asked.push(await person.say('and this follows', { thread: root.thread }));
    await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_MS));
    await bridge.kill();
  }
  const person = await bridge.start();
  for (const question of asked) {
    const { reply } = await person.replyTo(question, ended);
    // If the bridge is killed after it stored that the answer had begun, and before it stored a word, the reply has no
    // text. The reply then says so, because the bridge does not ask a question again once its answer has begun.
    expect(['done', 'partial', 'failed'], JSON.stringify(reply.notices)).toContain(reply.state);
    if (reply.state !== 'done') expect(reply).toMatchObject({ retry: true });
    if (reply.state === 'failed')
      expect(reply.notices.at(-1)?.text).toMatch(/just as the agent began to answer/);
    const replies = (await person.replies(question)).filter((each) => each.reply.question === question.id);
    expect(replies, question.text).toHaveLength(1);
  }
}, 120_000);
