/** Tests edits, deletions, versions and button presses through the console, with bridge and sandbox in one process. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../fakes/run-here.ts';
import { ConsoleClient } from './house/console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

let data: DataFolder;
let parley: RunningParley;
let person: ConsoleClient;

async function start(): Promise<void> {
  parley = await runParley(data);
  person = new ConsoleClient(parley.url);
}

beforeAll(async () => {
  data = await makeDataFolder();
  await start();
});
afterAll(async () => {
  await parley.kill();
  await data.remove();
});

describe('an edited question', () => {
  test('that was answered is asked again in the same message', async () => {
    const question = await person.say('@echo chairs');
    const first = await person.answer(question);
    await person.edit(question, '@echo tables');
    const second = await person.replyTo(
      question,
      ({ text, state }) => state === 'done' && text.includes('tables'),
    );
    expect(second.id).toBe(first.id);
    expect(await person.replies(question)).toHaveLength(1);
  });
});

describe('a deleted question', () => {
  test('removes its answer', async () => {
    const question = await person.say('@echo soon gone');
    await person.answer(question);
    expect(await person.remove(question)).toEqual({ done: true });
    await person.gone(question);
  });
});

test('an edit, a deletion and a new version outlive kill -9, and arrows switch between the versions', async () => {
  const versioned = await person.say('@echo which version');
  const first = await person.answer(versioned);
  expect(await person.press(first.reply.turn, 'regenerate')).toEqual({ done: true });
  const second = await person.replyTo(
    versioned,
    ({ editions, state }) => editions?.shown === 2 && state === 'done',
  );
  expect(second.id).toBe(first.id);
  const edited = await person.say('@slow-demo this question is going to be was rewritten in a moment');
  const deleted = await person.say('@slow-demo this answer will not live to see its own end');
  const growing = await person.replyTo(edited, ({ text }) => text.length > 5);
  await person.replyTo(deleted, ({ text }) => text.length > 5);
  await person.edit(edited, '@echo was rewritten');
  await person.remove(deleted);
  await parley.kill();
  await start();

  const answered = await person.replyTo(edited, ({ agent, state }) => agent === 'echo' && state === 'done');
  expect(answered.id).toBe(growing.id);
  expect(answered.reply.text).toContain('was rewritten');
  expect(await person.replies(edited)).toHaveLength(1);
  await person.gone(deleted);
  // The kill may come before the end of the second version was saved. The restarted bridge then ends the second
  // version first, and only after that can the first version be shown.
  await expect.poll(() => person.press(second.reply.turn, 'show', { edition: 1 })).toEqual({ done: true });
  const shown = await person.replyTo(versioned, ({ editions }) => editions?.shown === 1);
  expect(shown.reply).toMatchObject({
    turn: first.reply.turn,
    text: first.reply.text,
    state: 'done',
    editions: { shown: 1, count: 2 },
  });
});

describe('acts', () => {
  test('another agent answers the same question, beside the first', async () => {
    const question = await person.say('@echo the same question');
    const first = await person.answer(question);
    expect(await person.press(first.reply.turn, 'ask', { agent: 'kb-demo' })).toEqual({ done: true });
    await expect
      .poll(async () => (await person.replies(question)).map(({ reply }) => reply.agent))
      .toEqual(['echo', 'kb-demo']);
  });

  test('a room’s answer runs as the agent’s own account, the private one as the asker', async () => {
    const question = await person.say('@echo who am I?');
    const inRoom = await person.answer(question);
    const asked = await person.askAsMe(inRoom.reply.turn);
    expect(asked).toMatchObject({ room: 'direct~engineer~echo', text: 'who am I?' });
    const inPrivate = await person.answer(asked);
    const accountOf = async (turn: string) =>
      (await person.receipt(turn)).entries.find(({ name }) => name === 'routed')?.detail.account;
    expect(await accountOf(inRoom.reply.turn)).toBeUndefined();
    expect(await accountOf(inPrivate.reply.turn)).toBe('member-one');
  });

  test('feedback is kept and exported beside the running bridge', async () => {
    const question = await person.say('@echo good?');
    const { reply } = await person.answer(question);
    await person.press(reply.turn, 'feedback', { verdict: 'down', note: 'Not quite.' });
    const { out } = await runHere(['feedback', '--json'], { environment: { PARLEY_DATA: data.path } });
    expect(JSON.parse(out)).toMatchObject([{ turn: reply.turn, verdict: 'down', note: 'Not quite.' }]);
    expect((await person.replyTo(question, ({ thumbs }) => thumbs !== undefined)).reply.thumbs).toEqual({
      engineer: 'down',
    });
  });
});

describe('commands that look into the documents', () => {
  test.each([
    ['search hotel abroad', /best match first[\s\S]*\[1\]/],
    ['files', /Knowledge workspaces that are visible/],
    ['why', /no answer here yet/],
    ['language de', /answer in German \(`de`\) in this thread\. Documents/],
  ])('%s', async (text, says) => {
    const question = await person.say(`@parley ${text}`);
    const { reply } = await person.answer(question);
    expect(reply.state).toBe('done');
    expect(reply.text).toMatch(says);
  });
});
