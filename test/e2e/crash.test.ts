/** Replies after the bridge was killed, or asked to stop, in the middle of one. */

import { expect, test } from 'vitest';
import { eachWithBridge } from './house/bridge-rig.ts';

const bridge = eachWithBridge();

test('kill -9 in the middle of a reply: the same message is closed with the text that had arrived, and Retry works', async () => {
  const before = await bridge.start();
  const question = await before.say('@slow-demo a reply that is cut by a power failure in its middle');
  const growing = await before.replyTo(question, ({ text }) => text.length > 10);
  await bridge.kill();

  const after = await bridge.start();
  const closed = await after.answer(question);
  expect(closed.id).toBe(growing.id);
  expect(closed.reply).toMatchObject({ state: 'partial', retry: true });
  expect(closed.reply.text.startsWith(growing.reply.text)).toBe(true);
  expect(await after.replies(question)).toHaveLength(1);

  await after.retry(closed.reply.turn);
  const again = await after.replyTo(question, ({ state }) => state === 'done');
  expect(again.id).toBe(growing.id);
});

test('kill -9 with a question waiting: it is answered after the restart, once', async () => {
  const before = await bridge.start();
  const first = await before.say('@slow-demo the first one keeps the thread busy for a while');
  const second = await before.say('the second one waits', { thread: first.thread });
  await before.replyTo(second, ({ state }) => state === 'waiting');
  await bridge.kill();

  const after = await bridge.start();
  expect((await after.answer(second)).reply.state).toBe('done');
  expect(await after.replies(first)).toHaveLength(2);
});

test('SIGTERM lets a running reply end', async () => {
  const before = await bridge.start();
  const question = await before.say('@slow-demo short');
  await before.replyTo(question, ({ text }) => text.length > 1);
  expect(await bridge.terminate()).toBe(0);

  const after = await bridge.start();
  expect((await after.answer(question)).reply.state).toBe('done');
});
