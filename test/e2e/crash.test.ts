/** Tests what happens to a reply if the bridge is killed or stopped while it writes the reply. */

import { expect, test } from 'vitest';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';
import type { ConsoleClient } from './house/console-client.ts';

const agent = eachWithHalfAgent();
const bridge = eachWithBridge(agent.environmentIn);

/** What people do before the bridge is killed. Returns what they find after the restart. */
type Story = (before: ConsoleClient) => Promise<(after: ConsoleClient) => Promise<void>>;

/** In the middle of a reply: the same message ends with the text so far, and Retry works. */
const midway: Story = async (before) => {
  const question = await before.say(agent.question());
  const growing = await before.replyTo(question, ({ text }) => text.length > 10);
  return async (after) => {
    const closed = await after.answer(question);
    expect(closed.id).toBe(growing.id);
    expect(closed.reply).toMatchObject({ state: 'partial', retry: true });
    expect(closed.reply.text.startsWith(growing.reply.text)).toBe(true);
    expect(await after.replies(question)).toHaveLength(1);
    await after.retry(closed.reply.turn);
    const again = await after.replyTo(question, ({ state }) => state === 'done');
    expect(again.id).toBe(growing.id);
  };
};

/** With a question waiting: it is answered after the restart, once. */
const waiting: Story = async (before) => {
  const first = await before.say(agent.question());
  const second = await before.say(agent.question(), { thread: first.thread });
  await before.replyTo(second, ({ state }) => state === 'waiting');
  return async (after) => {
    expect((await after.answer(second)).reply.state).toBe('done');
    expect(await after.replies(first)).toHaveLength(2);
  };
};

/** Right after Ask this instead: the stopped answer keeps its text, and the question is answered once. */
const instead: Story = async (before) => {
  const first = await before.say(agent.question());
  const growing = await before.replyTo(first, ({ text }) => text.length > 10);
  const others = [agent.question(), agent.question()];
  const [second, third] = await Promise.all(
    others.map((question) => before.say(question, { thread: first.thread })),
  );
  if (second === undefined || third === undefined) throw new Error('They were not asked.');
  const waits = await before.replyTo(third, ({ state, ahead }) => state === 'waiting' && ahead === 2);
  await before.press(waits.reply.turn, 'instead');
  return async (after) => {
    const closed = await after.answer(first);
    expect(['stopped', 'partial']).toContain(closed.reply.state);
    expect(closed.reply.text.startsWith(growing.reply.text)).toBe(true);
    for (const question of [third, second]) expect((await after.answer(question)).reply.state).toBe('done');
    expect(await after.replies(first)).toHaveLength(3);
  };
};

test('kill -9 with three conversations; then, SIGTERM lets a running reply end', async () => {
  const before = await bridge.start();
  const found = [await midway(before), await waiting(before), await instead(before)];
  await bridge.kill();

  agent.release();
  const after = await bridge.start();
  for (const check of found) await check(after);

  const question = await after.say(agent.question());
  await after.replyTo(question, ({ text }) => text.length > 1);
  const ended = bridge.terminate();
  await expect.poll(() => bridge.output()).toContain('waiting for running answers');
  agent.release();
  expect(await ended).toBe(0);
  expect((await (await bridge.start()).answer(question)).reply.state).toBe('done');
});
