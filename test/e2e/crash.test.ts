/** Tests what happens to a reply if the bridge is killed or stopped while it writes the reply. */

import { expect, test } from 'vitest';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';

const agent = eachWithHalfAgent();
const bridge = eachWithBridge(agent.environmentIn);

test('kill -9 in the middle of a reply: the same message ends with the text so far, and Retry works', async () => {
  const before = await bridge.start();
  const question = await before.say(agent.question());
  const growing = await before.replyTo(question, ({ text }) => text.length > 10);
  await bridge.kill();

  const after = await bridge.start();
  const closed = await after.answer(question);
  expect(closed.id).toBe(growing.id);
  expect(closed.reply).toMatchObject({ state: 'partial', retry: true });
  expect(closed.reply.text.startsWith(growing.reply.text)).toBe(true);
  expect(await after.replies(question)).toHaveLength(1);

  agent.release();
  await after.retry(closed.reply.turn);
  const again = await after.replyTo(question, ({ state }) => state === 'done');
  expect(again.id).toBe(growing.id);
});

test('kill -9 with a question waiting: it is answered after the restart, once', async () => {
  const before = await bridge.start();
  const first = await before.say(agent.question());
  const second = await before.say(agent.question(), { thread: first.thread });
  await before.replyTo(second, ({ state }) => state === 'waiting');
  await bridge.kill();

  agent.release();
  const after = await bridge.start();
  expect((await after.answer(second)).reply.state).toBe('done');
  expect(await after.replies(first)).toHaveLength(2);
});

test('kill -9 right after Ask this instead: the stopped answer keeps its text, and the question is answered once', async () => {
  const before = await bridge.start();
  const first = await before.say(agent.question());
  const growing = await before.replyTo(first, ({ text }) => text.length > 10);
  const others = [agent.question(), agent.question()];
  const [second, third] = await Promise.all(
    others.map((question) => before.say(question, { thread: first.thread })),
  );
  if (second === undefined || third === undefined) throw new Error('They were not asked.');
  const waits = await before.replyTo(third, ({ state, ahead }) => state === 'waiting' && ahead === 2);
  await before.press(waits.reply.turn, 'instead');
  await bridge.kill();

  agent.release();
  const after = await bridge.start();
  const closed = await after.answer(first);
  expect(['stopped', 'partial']).toContain(closed.reply.state);
  expect(closed.reply.text.startsWith(growing.reply.text)).toBe(true);
  for (const question of [third, second]) expect((await after.answer(question)).reply.state).toBe('done');
  expect(await after.replies(first)).toHaveLength(3);
});

test('SIGTERM lets a running reply end', async () => {
  const before = await bridge.start();
  const question = await before.say(agent.question());
  await before.replyTo(question, ({ text }) => text.length > 1);
  const ended = bridge.terminate();
  await expect.poll(() => bridge.output()).toContain('waiting for running answers');
  agent.release();
  expect(await ended).toBe(0);

  const after = await bridge.start();
  expect((await after.answer(question)).reply.state).toBe('done');
});
