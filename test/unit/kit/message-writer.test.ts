/** Tests `messageWriter` over a small chat in memory that limits the length of a message. */

import { describe, expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import { begin as blankReply } from '../../../src/core/live-reply/compose.ts';
import { change, type ReplyDocument } from '../../../src/core/reply.ts';
import type { Outcome, Screen } from '../../../src/core/screen.ts';
import { type MessageSurface, messageWriter, type ReplyMessage } from '../../../src/kit/message-writer.ts';
import { channelContract } from '../../contract/channel-contract.ts';
import { source as sampleSource, turn as sampleTurn } from '../../fakes/samples.ts';

const LIMIT = 400;
const turn = sampleTurn();

function chat(options: Partial<MessageSurface> = {}) {
  const messages = new Map<string, ReplyMessage>();
  let ids = 0;
  const given: MessageSurface = {
    turn,
    limit: LIMIT,
    async post(message) {
      ids += 1;
      messages.set(`m${ids}`, message);
      return { kind: 'done', id: `m${ids}` };
    },
    async edit(id, message) {
      if (!messages.has(id)) return { kind: 'refused', why: 'gone' };
      messages.set(id, message);
      return { kind: 'done', id };
    },
    async remove(id) {
      messages.delete(id);
      return { kind: 'done' };
    },
    ...options,
  };
  const texts = () => [...messages.values()].map(({ text }) => text);
  return { writer: messageWriter(given), messages, texts, upload: given.upload };
}

type Chat = ReturnType<typeof chat>;

/** The first call is made, but its outcome is unknown. */
function loseFirstOutcome({ writer }: Chat): void {
  const perform = writer.perform.bind(writer);
  let isLost = true;
  writer.perform = async (move, signal) => {
    const outcome = await perform(move, signal);
    if (!isLost) return outcome;
    isLost = false;
    return { kind: 'unknown' };
  };
}

/** Makes calls until the reply shows the document. */
async function show(
  { writer }: Chat,
  document: ReplyDocument,
  from: Screen = writer.blank(),
): Promise<Screen> {
  let screen = from;
  for (let calls = 0; calls < 50; calls++) {
    const [move] = writer.next(screen, document, 0);
    if (move === undefined) return screen;
    const outcome = await writer.perform(move, new AbortController().signal);
    screen = writer.after(screen, move, outcome, 0);
  }
  throw new Error('The reply does not come to rest.');
}

const written = (text: string, more: Partial<ReplyDocument> = {}) =>
  change(blankReply(turn.id), { state: 'done', text, ...more });
const source = sampleSource({ key: 's', title: 'Visitors *handbook*', link: 'https://docs.test/visitors' });

const paragraph = (at: number) => `Paragraph ${at}: ${'word '.repeat(30).trim()}.`;

describe('a long answer', () => {
  test('is split between blocks, and no message exceeds the limit', async () => {
    const one = chat();
    await show(one, written([1, 2, 3, 4, 5].map(paragraph).join('\n\n')));
    expect(one.texts()).toEqual(
      [1, 3, 5].map((at) =>
        [at, at + 1]
          .filter((each) => each < 6)
          .map(paragraph)
          .join('\n\n'),
      ),
    );
    expect(Math.max(...one.texts().map(({ length }) => length))).toBeLessThanOrEqual(LIMIT);
  });

  test('opens a fence and the head of a table again in the next message', async () => {
    const dialect = {
      prose: (text: string) => text,
      code: (text: string) => text,
      codeSpan: (text: string) => text,
      language: (name: string) => name,
      mark: (number: number) => `[${number}]`,
      image: (words: string) => words,
    };
    const code = [
      '```js',
      ...Array.from({ length: 20 }, (_, at) => `callNumber(${at}, 'some text');`),
      '```',
    ];
    const fenced = chat({ dialect });
    await show(fenced, written(code.join('\n')));
    expect(fenced.texts().length).toBeGreaterThan(1);
    for (const text of fenced.texts()) expect(text).toMatch(/^```js\n[\s\S]*\n```$/);
    const rows = Array.from({ length: 30 }, (_, at) => `| row ${at} | the value of ${at} |`);
    const table = chat({ dialect });
    await show(table, written(['| name | value |', '|---|---|', ...rows].join('\n')));
    expect(table.texts().length).toBeGreaterThan(1);
    for (const text of table.texts()) expect(text).toMatch(/^\| name \| value \|\n\|---\|---\|\n/);
  });

  test('is posted in shorter messages if its plain text is longer than its Markdown', async () => {
    const one = chat();
    const cells = Array.from({ length: 60 }, () => '|').join('x');
    await show(one, written(`a|b\n-|-\n${`${'|'.repeat(3)}\n`.repeat(3)}${cells}\n\n${paragraph(1)}`));
    expect(Math.max(...one.texts().map(({ length }) => length))).toBeLessThanOrEqual(LIMIT);
  });
});

describe('below the answer', () => {
  test('stand its notices and sources, also those that arrive late, as plain text', async () => {
    const one = chat();
    const first = written('**Bold** and `code`.', { notices: [{ tone: 'warning', text: 'Take care.' }] });
    const screen = await show(one, first);
    expect(one.texts()).toEqual(['Bold and code.\n\n⚠ Take care.']);
    expect(screen.finished).toBe(true);
    await show(one, change(first, { sources: [source] }), screen);
    expect(one.texts()).toEqual([
      'Bold and code.\n\n⚠ Take care.\n\nSources\n\n1. Visitors *handbook* (https://docs.test/visitors)',
    ]);
  });

  test('the sources keep their numbers below a numbered list', async () => {
    const one = chat();
    await show(one, written('1. Ask.\n2. Wait.', { sources: [source] }));
    expect(one.texts()[0]).toMatch(/^1\. Ask\.\n2\. Wait\.\n\nSources\n\n1\. Visitors/);
  });

  test('they go into a message of their own if the last one is full', async () => {
    const one = chat();
    await show(one, written([1, 2].map(paragraph).join('\n\n'), { sources: Array(4).fill(source) }));
    expect(one.texts().length).toBe(2);
    expect(one.texts().at(-1)).toContain('1. Visitors');
  });

  test('they are not a part of code that an interrupted answer left open', async () => {
    const one = chat();
    const notice = { tone: 'error', text: 'The answer was **interrupted**.' } as const;
    await show(one, written('```\nlet a', { state: 'partial', notices: [notice] }));
    expect(one.texts()).toEqual(['let a\n\n⚠ The answer was interrupted.']);
  });
});

test('only the newest message has buttons: Stop, then Regenerate and the suggestions', async () => {
  const one = chat();
  const text = [1, 2, 3].map(paragraph).join('\n\n');
  const words = () => [...one.messages.values()].map(({ buttons }) => buttons.map(({ word }) => word).join());
  const thinking = blankReply(turn.id);
  let screen = await show(one, thinking);
  expect(one.texts()).toEqual(['Thinking…']);
  expect(words()).toEqual(['stop']);
  const growing = change(thinking, { state: 'writing', text });
  screen = await show(one, growing, screen);
  expect(words()).toEqual(['', 'stop']);
  const { agent = JSON.parse('"handbook"') } = growing;
  await show(one, change(growing, { state: 'done', agent, suggestions: ['And then?', 'Why?'] }), screen);
  expect(words()).toEqual(['', 'regenerate,1,2']);
});

test('Markdown that shows nothing yet makes no blank message', async () => {
  const one = chat();
  const screen = await show(one, change(blankReply(turn.id), { state: 'writing', text: '```' }));
  expect(one.texts()).toEqual(['Thinking…']);
  await show(one, written('```\n```'), screen);
  expect(one.texts()).toEqual(['The agent returned no text.']);
});

test('a chat that refuses the markup gets plain text', async () => {
  const shown: ReplyMessage[] = [];
  const one = chat({
    async post(message) {
      if (!message.isPlain) return { kind: 'refused', why: 'invalid' };
      shown.push(message);
      return { kind: 'done', id: 'm' };
    },
  });
  await show(one, written('**Bold**'));
  expect(shown.map(({ text }) => text)).toEqual(['Bold']);
});

test('a lost post is looked up by its key, and not posted again', async () => {
  const one: Chat = chat({
    async find({ key, known }) {
      const found = [...one.messages].find(([id, message]) => message.key === key && !known.includes(id));
      return { kind: 'done', ...(found && { id: found[0] }) };
    },
  });
  loseFirstOutcome(one);
  await show(one, written('Once.'));
  expect(one.texts()).toEqual(['Once.']);
});

test('a message of unknown outcome that cannot be looked up may stand above the same text', async () => {
  const one: Chat = chat();
  loseFirstOutcome(one);
  await show(one, written('Twice.'));
  expect([...one.messages.values()].map(({ mayBeDouble }) => mayBeDouble)).toEqual([false, true]);
});

describe('a chat with a sign that the app is writing', () => {
  const signs = (options: Partial<MessageSurface> = {}) => {
    let typed = 0;
    const typing = async () => {
      typed += 1;
      return { kind: 'done' } as const;
    };
    return { one: chat({ typing, ...options }), typed: () => typed };
  };
  const thinking = blankReply(turn.id);

  test('shows it once, and posts the first words', async () => {
    const { one, typed } = signs();
    const screen = await show(one, thinking);
    expect([one.texts(), typed()]).toEqual([[], 1]);
    const growing = change(thinking, { state: 'writing', text: 'The first' });
    await show(one, growing, await show(one, change(thinking, { steps: [] }), screen));
    expect([one.texts(), typed()]).toEqual([['The first'], 1]);
  });

  test('posts at once that the question is kept, because that may take hours', async () => {
    const { one, typed } = signs({ onlyComplete: true });
    const kept = change(thinking, { postponed: true, meanwhile: 'Your question is kept.' });
    const screen = await show(one, kept);
    expect([one.texts(), typed()]).toEqual([['Your question is kept.'], 0]);
    const { postponed: _, ...growing } = change(kept, { state: 'writing', text: 'The first' });
    const later = await show(one, growing, screen);
    expect(one.texts()).toEqual(['Your question is kept.']);
    await show(one, change(growing, { state: 'done', text: 'The first words.' }), later);
    expect(one.texts()).toEqual(['The first words.']);
  });
});

test('an answer that is shown only when it is complete is posted once', async () => {
  const edit = () => Promise.reject(new Error('edited'));
  const one = chat({ onlyComplete: true, edit });
  const growing = change(blankReply(turn.id), { state: 'writing', text: 'The pass' });
  const screen = await show(one, growing);
  expect(one.texts()).toEqual([]);
  await show(one, written('The pass is valid.'), screen);
  expect(one.texts()).toEqual(['The pass is valid.']);
});

describe('images', () => {
  const image = { kind: 'image', ref: { kind: 'url', url: 'https://docs.test/dot.png' } } as const;
  const media = ['i1', 'i2'].map((id) => ({ ...image, id, name: id, link: `https://docs.test/${id}` }));
  const document = written('Here they are.', { media });
  /** A chat that answers the uploads with these outcomes, one after another. */
  const uploading = (...outcomes: readonly Outcome[]) => {
    const left = [...outcomes];
    const keys: string[] = [];
    const one = chat({
      async upload({ key, media: { id } }) {
        keys.push(key);
        return left.shift() ?? { kind: 'done', id: `of ${id}` };
      },
    });
    return { one, keys };
  };

  test('follow the answer as messages of their own, and are deleted with it', async () => {
    const { one, keys } = uploading();
    for (const { id } of media) one.messages.set(`of ${id}`, JSON.parse('{"text":"image"}'));
    const screen = await show(one, document);
    expect(new Set(keys).size).toBe(2);
    expect(one.texts()).toEqual(['image', 'image', 'Here they are.']);
    await show(one, change(document, { state: 'withdrawn' }), screen);
    expect(one.texts()).toEqual([]);
  });

  test('are tried once more after an unknown outcome, and not after a refusal', async () => {
    const { one, keys } = uploading(
      { kind: 'unknown' },
      { kind: 'unknown' },
      { kind: 'refused', why: 'invalid' },
    );
    const screen = await show(one, document);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(2);
    expect(screen.finished).toBe(true);
  });

  test('are looked up before they are posted again', async () => {
    const { one, keys } = uploading({ kind: 'unknown' });
    const found = chat({
      find: async ({ key }) => ({ kind: 'done', id: key }),
      ...(one.upload && { upload: one.upload }),
    });
    await show(found, written('Here it is.', { media: media.slice(0, 1) }));
    expect(keys).toHaveLength(1);
  });

  test('are named below the answer if the chat cannot post them', async () => {
    const one = chat();
    await show(one, document);
    expect(one.texts()[0]).toContain('i1 (https://docs.test/i1)');
  });
});

test('a message that cannot be deleted says that it was removed', async () => {
  const { remove: _, ...rest } = chatSurface();
  const writer = messageWriter(rest);
  const move = { kind: 'delete', document: written(''), part: { id: 'm1' }, index: 0 };
  await writer.perform({ family: 'remove', essential: true, call: move }, new AbortController().signal);
  expect(edited).toEqual(['This message was removed.']);
});

const edited: string[] = [];
function chatSurface(): MessageSurface {
  return {
    turn,
    limit: LIMIT,
    post: async () => ({ kind: 'done', id: 'm1' }),
    async edit(_id, { text }) {
      edited.push(text);
      return { kind: 'done' };
    },
    remove: async () => ({ kind: 'done' }),
  };
}

const contractChats = new Map<string, Map<string, string>>();
channelContract('messageWriter over a chat with look-ups', async () => {
  let turns = 0;
  let ids = 0;
  const of = (id: string) => contractChats.get(id) ?? new Map<string, string>();
  const keys = new Map<string, string>();
  return {
    ask: async () => sampleTurn({ id: turnId(`turn-${++turns}`) }),
    writer: (asked) => {
      const messages = of(asked.id);
      contractChats.set(asked.id, messages);
      return messageWriter({
        turn: asked,
        limit: 3_000,
        async post({ key, text }) {
          ids += 1;
          messages.set(`m${ids}`, text);
          keys.set(`m${ids}`, key);
          return { kind: 'done', id: `m${ids}` };
        },
        async edit(id, { text }) {
          messages.set(id, text);
          return { kind: 'done', id };
        },
        async remove(id) {
          messages.delete(id);
          return { kind: 'done' };
        },
        async find({ key, known }) {
          const id = [...messages.keys()].find((each) => keys.get(each) === key && !known.includes(each));
          return { kind: 'done', ...(id !== undefined && { id }) };
        },
      });
    },
    shown: async ({ id }) => [...of(id).values()],
    close: async () => undefined,
  };
});
