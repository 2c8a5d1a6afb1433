/** Tests what happens to replies if the bridge starts with a damaged, emptied, deleted or restored store. */

import { copyFile, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { MessageView } from '../../adapters/console/wire.ts';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';
import { type ConsoleClient, ended, type Reply } from './house/console-client.ts';
import { runToItsEnd } from './house/running-parley.ts';

const agent = eachWithHalfAgent();
const bridge = eachWithBridge(agent.environmentIn);

const store = () => join(bridge.folder, 'parley.sqlite');

/** Kills the bridge while it writes one reply and another question is waiting. */
async function killedMidway(): Promise<Midway> {
  const asked = await askedMidway(await bridge.start());
  await bridge.kill();
  return asked;
}

interface Midway {
  readonly question: MessageView;
  readonly waiting: MessageView;
  readonly before: Reply;
}

/** Resolves while the bridge writes one reply and another question is waiting. */
async function askedMidway(people: ConsoleClient): Promise<Midway> {
  const question = await people.say(agent.question());
  const waiting = await people.say(agent.question(), { thread: question.thread });
  const before = await people.replyTo(question, ({ text }) => text.length > 10);
  await people.replyTo(waiting, ({ state }) => state === 'waiting');
  return { question, waiting, before };
}

async function removeStore(): Promise<void> {
  const names = await readdir(bridge.folder);
  for (const name of names.filter((each) => each.startsWith('parley.sqlite'))) {
    await rm(join(bridge.folder, name));
  }
}

describe('parley.sqlite is emptied alone', () => {
  test('the bridge refuses to start; once it is deleted, replies end with the text so far, and Retry asks again', async () => {
    const { question, waiting, before } = await killedMidway();
    await truncate(store(), 0);
    const { code, written } = await runToItsEnd({ PARLEY_DATA: bridge.folder });
    expect(code).toBe(73);
    expect(written).toContain('is empty');
    expect(written).toContain('console.sqlite');
    await removeStore();
    const people = await bridge.start();
    const closed = await people.answer(question);
    expect(closed.id).toBe(before.id);
    expect(closed.reply).toMatchObject({ state: 'partial', retry: true });
    expect(closed.reply.text).not.toBe('');
    expect(closed.reply.notices.at(-1)?.text).toContain('Press Retry');
    const unasked = await people.answer(waiting);
    expect(unasked.reply).toMatchObject({ state: 'failed', retry: true });
    expect(bridge.output()).toContain('parley.sqlite is missing');

    agent.release();
    expect(await people.retry(unasked.reply.turn)).toEqual({ done: true });
    expect(await people.retry(unasked.reply.turn)).toEqual({ done: true });
    await expect
      .poll(async () => (await people.replies(question)).map(({ reply }) => reply.state))
      .toEqual(['partial', 'failed', 'done']);
  });
});

test('an older parley.sqlite is restored alone: replies that ended since then stay, and those that it does not contain end', async () => {
  const people = await bridge.start();
  const { question, waiting } = await askedMidway(people);
  const copy = join(bridge.folder, 'backup');
  const open = new DatabaseSync(store(), { readOnly: true });
  await backup(open, copy);
  open.close();
  agent.release();
  expect(await people.press((await people.answer(waiting)).reply.turn, 'regenerate')).toEqual({ done: true });
  const again = await people.replyTo(waiting, (reply) => reply.editions?.count === 2 && ended(reply));
  const before = await people.thread(question);
  expect((await people.answer(question)).reply.state).toBe('done');
  const later = await askedMidway(people);
  await bridge.kill();
  await removeStore();
  await copyFile(copy, store());

  const after = await bridge.start();
  expect((await after.answer(later.question)).reply).toMatchObject({ state: 'partial', retry: true });
  expect((await after.answer(later.waiting)).reply).toMatchObject({ state: 'failed', retry: true });
  const following = agent.question();
  agent.release();
  const next = await after.say(following, { thread: question.thread });
  expect((await after.answer(next)).reply.state).toBe('done');
  const kept = (await after.thread(question)).slice(0, before.length);
  expect(kept.map(({ id, seq, reply }) => [id, seq, reply?.state])).toEqual(
    before.map(({ id, seq, reply }, at) => [id, at === 0 ? expect.any(Number) : seq, reply?.state]),
  );
  expect((await after.answer(waiting)).reply.text).toBe(again.reply.text);
  expect(bridge.output()).toContain('has ended in the console');
});

test('the message or the screen of a turn is damaged: its reply ends, Retry works, and the next question is asked', async () => {
  const writing = await bridge.start();
  const columns = ['message', 'screen'];
  const asked = [await askedMidway(writing), await askedMidway(writing)];
  await bridge.kill();
  const database = new DatabaseSync(store());
  for (const [nth, { before }] of asked.entries())
    database.prepare(`UPDATE turns SET ${columns[nth]} = '{"damaged' WHERE id = ?`).run(before.reply.turn);
  database.close();
  const people = await bridge.start();
  for (const { question, waiting, before } of asked) {
    const closed = await people.answer(question);
    expect(closed.id).toBe(before.id);
    expect(closed.reply).toMatchObject({ state: 'partial', retry: true });
    expect(closed.reply.text.startsWith(before.reply.text)).toBe(true);
    expect(closed.reply.notices.at(-1)?.text).toContain('could not read the stored question');
    await people.replyTo(waiting, ({ text }) => text !== '');
    expect(await people.stop((await people.replyTo(waiting, () => true)).reply.turn)).toEqual({ done: true });
    await people.retry(closed.reply.turn);
    expect((await people.replyTo(question, ({ state }) => state === 'writing')).id).toBe(before.id);
  }
});
