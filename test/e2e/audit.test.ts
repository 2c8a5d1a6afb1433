/** Tests the audit at the wire: a running bridge, killed and restarted, and the command that exports its records. */

import { expect, test } from 'vitest';
import { runHere } from '../fakes/run-here.ts';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';

const agent = eachWithHalfAgent();
let environment: Readonly<Record<string, string>> = {};
const bridge = eachWithBridge(async (folder) => {
  environment = await agent.environmentIn(folder);
  return environment;
});

/** Exports the audit while the bridge runs. */
async function exported(...options: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { out } = await runHere(['audit', 'export', ...options], {
    environment: { PARLEY_DATA: bridge.folder, ...environment },
  });
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('kill -9 in the middle of a reply neither loses nor doubles a record', async () => {
  const before = await bridge.start();
  const first = await before.say(agent.question());
  const second = await before.say(agent.question(), { thread: first.thread, as: 'designer' });
  await before.replyTo(first, ({ text }) => text.length > 10);
  expect(await exported()).toEqual([]);
  await bridge.kill();

  agent.release();
  const after = await bridge.start();
  await after.answer(first);
  const answered = await after.answer(second);
  await expect.poll(async () => (await exported()).length).toBe(2);
  await bridge.kill();
  await bridge.start();
  const records = await exported();
  expect(records).toMatchObject([
    { action: 'ask', outcome: 'partial', person: 'engineer', channel: 'console', room: 'general' },
    { action: 'ask', outcome: 'answered', person: 'designer', agent: 'half' },
  ]);
  expect(records[1]).toMatchObject({ turn: answered.reply.turn, answerChars: answered.reply.text.length });
  expect(JSON.stringify(records)).not.toContain(answered.reply.text.slice(0, 40));
  expect(await exported('--person', 'console/designer')).toEqual([records[1]]);
});

test('a stop by another person is an act of its own', async () => {
  const client = await bridge.start();
  const question = await client.say(agent.question(), { as: 'designer' });
  const { reply } = await client.replyTo(question, ({ text }) => text.length > 10);
  await client.stop(reply.turn);
  await client.replyTo(question, ({ state }) => state === 'stopped');
  await expect
    .poll(() => exported())
    .toMatchObject([
      { action: 'stop', outcome: 'done', person: 'engineer', turn: reply.turn },
      { action: 'ask', outcome: 'stopped', person: 'designer', turn: reply.turn },
    ]);
});
