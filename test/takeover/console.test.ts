import { expect, test } from 'vitest';
import { ConsoleClient } from '../e2e/house/console-client.ts';
import { bothVersions, QUESTION } from './versions.ts';

let client: ConsoleClient;
const versions = bothVersions(
  async () => ({}),
  ({ url }) => {
    client = new ConsoleClient(url);
  },
);

test('a killed reply continues in the console, and the buttons of a finished one work', async () => {
  const asked = await client.say(`@knowledge ${QUESTION}`);
  const finished = await client.answer(asked);
  const slow = await client.say(
    '@slow-demo tell me everything at length, please, and take your time with it',
  );
  const growing = await client.replyTo(slow, ({ text }) => text.length > 10);
  await versions.takeOver();

  const closed = await client.answer(slow);
  expect(closed.id).toBe(growing.id);
  expect(closed.reply).toMatchObject({ state: 'partial', retry: true });
  expect(closed.reply.text.startsWith(growing.reply.text)).toBe(true);
  await client.retry(closed.reply.turn);
  expect((await client.replyTo(slow, ({ state }) => state === 'done')).id).toBe(growing.id);
  expect(await client.replies(slow)).toHaveLength(1);

  await client.press(finished.reply.turn, 'feedback', { verdict: 'up' });
  await client.press(finished.reply.turn, 'regenerate');
  const second = await client.replyTo(
    asked,
    (reply) => reply.state === 'done' && reply.editions?.count === 2,
  );
  expect(second.id).toBe(finished.id);
  await client.press(second.reply.turn, 'show', { edition: 1 });
  const { reply: first } = await client.replyTo(asked, (reply) => reply.editions?.shown === 1);
  const [source] = first.sources;
  if (source === undefined) throw new Error('The answer names no source.');
  const wanted = { as: 'engineer', turn: first.turn, source: source.key, room: 'random' };
  const shared = await client.share(wanted);
  expect(shared.room).toBe('random');
});
