/** Tests asking and answering through all real parts: bridge, sandbox and console as `npm start` runs them. */

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageView } from '../../../adapters/console/wire.ts';
import { ConsoleClient, ended } from '../house/console-client.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

let data: DataFolder;
let parley: ParleyInside;
let person: ConsoleClient;

beforeAll(async () => {
  data = await makeDataFolder();
  parley = await runInside(data);
  person = new ConsoleClient(parley.url);
});

afterAll(async () => {
  await parley?.stop();
  await data?.remove();
});

/** Resolves when the answer has its sources, because they are added to an ended answer if they arrive late. */
const withSources = (question: MessageView) =>
  person.replyTo(question, (reply) => ended(reply) && reply.sources.length > 0);

describe('a question in a thread', () => {
  test('is answered with numbered sources and suggestions, and a follow-up has the conversation', async () => {
    const question = await person.say('@parley How long is a visitor pass valid?');
    const { reply } = await withSources(question);
    expect(reply).toMatchObject({ state: 'done', agent: 'knowledge', retry: false });
    expect(reply.text).toContain('one working day');
    expect(reply.text).toContain('[1]');
    expect(reply.sources[0]).toMatchObject({ number: 1, kind: 'document' });
    expect(reply.sources[0]?.fragments[0]?.text).toContain('visitor pass');
    expect(reply.suggestions.length).toBeGreaterThan(0);
    expect(reply.steps.every(({ state }) => state === 'done')).toBe(true);

    const followUp = await person.say('And where must it be given back?', { thread: question.thread });
    const second = await person.answer(followUp);
    expect(second.reply.state).toBe('done');
    expect(second.reply.text).toMatch(/desk|reception/i);
  });

  test('sent twice with one nonce is one message and one answer', async () => {
    const nonce = 'the-same-press';
    const [first, second] = await Promise.all([
      person.say('@echo only once', { nonce }),
      person.say('@echo only once', { nonce }),
    ]);
    expect(second.id).toBe(first.id);
    await person.answer(first);
    expect(await person.replies(first)).toHaveLength(1);
  });

  test('with personal data gets the platform’s prompt, and both choices work', async () => {
    const question = await person.say('@parley privacy-demo: write to ada@example.org');
    const prompt = await person.answer(question);
    expect(prompt.reply).toMatchObject({ state: 'done', agent: 'privacy-demo' });
    expect(prompt.reply.text).toContain('personal data');
    expect(prompt.reply.suggestions).toEqual(['Send it anyway', 'Ask without it']);
    const [send, without] = prompt.reply.suggestions;
    const sent = await person.answer(await person.say(send ?? '', { thread: question.thread }));
    expect(sent.reply.text).toMatch(/^Thank you. I read your question of 24 characters/);
    const cut = await person.answer(await person.say(without ?? '', { thread: question.thread }));
    expect(cut.reply.text).toMatch(/^Thank you. I read your question of 18 characters/);
    expect(cut.reply.suggestions).toEqual([]);
  });

  test('in one thread are answered in order, and a waiting question shows a notice', async () => {
    const first = await person.say('@slow-demo a long enough answer to wait behind');
    const second = await person.say('@echo then this one', { thread: first.thread });
    const waiting = await person.replyTo(second, ({ state }) => state === 'waiting');
    expect(waiting.reply.ahead).toBe(1);
    const running = await person.replyTo(first, ({ state }) => state === 'writing');
    await person.stop(running.reply.turn);
    const answered = await person.answer(second);
    expect(answered.id).toBe(waiting.id);
    expect(answered.reply).toMatchObject({ state: 'done', agent: 'echo' });
  });
});

describe('stop and retry', () => {
  test('an answer grows in place; stop keeps its text; retry answers in the same message', async () => {
    const question = await person.say('@slow-demo please write for a good while about nothing');
    const early = await person.replyTo(question, ({ state, text }) => state === 'writing' && text.length > 3);
    const growing = await person.replyTo(question, ({ text }) => text.length > early.reply.text.length);
    expect(growing.id).toBe(early.id);
    expect(growing.reply.text.startsWith(early.reply.text)).toBe(true);
    expect(await person.replies(question)).toHaveLength(1);
    expect(await person.stop(growing.reply.turn)).toEqual({ done: true });
    const stopped = await person.answer(question);
    expect(stopped.reply.state).toBe('stopped');
    expect(stopped.reply.text.startsWith(growing.reply.text)).toBe(true);

    expect(await person.retry(stopped.reply.turn)).toEqual({ done: true });
    const again = await person.replyTo(question, ({ state }) => state === 'done');
    expect(again.id).toBe(stopped.id);
    expect(again.reply.turn).not.toBe(stopped.reply.turn);
  });

  test('a failure is named in one friendly sentence with Retry', async () => {
    const question = await person.say('@fail-demo before');
    const { reply } = await person.answer(question);
    expect(reply).toMatchObject({ state: 'failed', retry: true });
    expect(reply.notices[0]?.text).toMatch(/\(Reference [0-9a-f]{8}\)$/);
  });
});

describe('images and sources', () => {
  test('an image goes to the agent that sees images and comes back as an image', async () => {
    const bytes = new Uint8Array(await readFile(new URL('../house/red-dot.png', import.meta.url)));
    const file = await person.upload('red-dot.png', 'image/png', bytes);
    const question = await person.say('@image-demo what is this?', { files: [file.id] });
    const { reply } = await person.answer(question);
    expect(reply.state).toBe('done');
    const shown = reply.media.find(({ inline }) => inline !== undefined && reply.text.includes(inline));
    const opened = await person.open(shown?.address ?? '/no-address');
    expect(opened.headers.get('content-type')).toBe('image/png');
    expect((await opened.arrayBuffer()).byteLength).toBeGreaterThan(0);
  });

  test('a source can be shared into another room as that person', async () => {
    const question = await person.say('@parley How long is a visitor pass valid?');
    const { reply } = await withSources(question);
    expect(reply).toMatchObject({ state: 'done', agent: 'knowledge', sources: [{ number: 1 }] });
    const source = reply.sources[0]?.key ?? '';
    const shared = await person.share({ as: 'designer', turn: reply.turn, source, room: 'random' });
    expect(shared).toMatchObject({
      room: 'random',
      author: { id: 'designer' },
      shared: { source: { key: source } },
    });
  });

  test('the timeline shows the steps of the bridge', async () => {
    const question = await person.say('@echo a receipt, please');
    const { reply } = await person.answer(question);
    const { entries } = await person.receipt(reply.turn);
    const names = entries.map(({ name }) => name);
    for (const name of ['kept', 'claimed', 'routed', 'asking', 'answering', 'move', 'ending']) {
      expect(names).toContain(name);
    }
  });
});

describe('commands', () => {
  test.each([
    ['help', /stop/],
    ['agents', /\*\*knowledge\*\*/],
    ['whoami', /Engineer/],
    ['sources', /has no sources/],
    ['new', /new conversation/i],
    ['stop', /No answer is running/],
  ])('%s', async (command, expected) => {
    const { reply } = await person.answer(await person.say(`@parley ${command}`));
    expect(reply.state).toBe('done');
    expect(reply.text).toMatch(expected);
  });

  test('use chooses the agent for the thread', async () => {
    const root = await person.say('@parley use echo');
    await person.answer(root);
    const question = await person.say('who are you?', { thread: root.thread });
    expect((await person.answer(question)).reply.agent).toBe('echo');
  });
});
