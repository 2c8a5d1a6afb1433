/** Every block type that the vendor's types name gives all its visible words to the agent, also in a thread. */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { direct, event, openReading } from './reading.ts';

const source = readFileSync(
  new URL('../../../../node_modules/@slack/types/dist/block-kit/blocks.d.ts', import.meta.url),
  'utf8',
);
const [, union = ''] = /type KnownBlock = ([^;]+);/.exec(source) ?? [];
const named = union.split('|').map((name) => {
  const [, type = name] = new RegExp(`\\b${name.trim()}\\b[^;]*?\\{[^}]*?type: '(\\w+)'`).exec(source) ?? [];
  return type;
});

type Words = () => string;
const plainText = (word: Words) => ({ type: 'plain_text', text: word() });
const mrkdwn = (word: Words) => ({ type: 'mrkdwn', text: word() });
const image = (word: Words) => ({ type: 'image', alt_text: word(), image_url: 'https://x.example/a.png' });
const button = (word: Words) => ({ type: 'button', text: plainText(word), value: 'hidden' });
const rich = (word: Words) => ({
  type: 'rich_text',
  elements: [
    { type: 'rich_text_section', elements: [{ type: 'text', text: word(), style: { bold: true } }] },
  ],
});
const card = (word: Words) => ({
  type: 'card',
  title: mrkdwn(word),
  subtitle: mrkdwn(word),
  body: mrkdwn(word),
  actions: [button(word)],
  icon: image(word),
});
const rows = (word: Words) => [
  [{ type: 'raw_text', text: word() }, null, rich(word)],
  [{ type: 'raw_number', value: 1, text: word() }],
];
const task = (word: Words) => ({
  type: 'task_card',
  task_id: 'x',
  status: 'complete',
  title: word(),
  details: rich(word),
  output: rich(word),
  sources: [{ type: 'url', url: 'https://x.example', text: word() }],
});
const section = (word: Words) => ({
  type: 'section',
  text: mrkdwn(word),
  fields: [plainText(word)],
  accessory: button(word),
});

/** Makes a block of each type. Each visible text is a word of its own, so a missing one is found. */
const makers: Readonly<Record<string, (word: Words) => object>> = {
  actions: (word) => ({
    type: 'actions',
    elements: [button(word), { type: 'overflow', options: [{ text: plainText(word), value: 'x' }] }],
  }),
  alert: (word) => ({ type: 'alert', text: mrkdwn(word) }),
  card,
  carousel: (word) => ({ type: 'carousel', elements: [card(word), card(word)] }),
  container: (word) => ({
    type: 'container',
    title: plainText(word),
    subtitle: mrkdwn(word),
    child_blocks: [section(word), { type: 'table', rows: rows(word) }],
  }),
  context: (word) => ({ type: 'context', elements: [image(word), mrkdwn(word)] }),
  context_actions: (word) => ({
    type: 'context_actions',
    elements: [
      { type: 'icon_button', icon: 'trash', text: plainText(word) },
      {
        type: 'feedback_buttons',
        positive_button: { text: plainText(word), value: 'x' },
        negative_button: { text: plainText(word), value: 'x' },
      },
    ],
  }),
  data_table: (word) => ({ type: 'data_table', caption: word(), rows: rows(word) }),
  divider: () => ({ type: 'divider' }),
  file: () => ({ type: 'file', source: 'remote', external_id: 'x' }),
  header: (word) => ({ type: 'header', text: plainText(word) }),
  image: (word) => ({ ...image(word), title: plainText(word) }),
  input: (word) => ({
    type: 'input',
    label: plainText(word),
    hint: plainText(word),
    element: { type: 'plain_text_input', placeholder: plainText(word), initial_value: word() },
  }),
  markdown: (word) => ({ type: 'markdown', text: `**${word()}**` }),
  plan: (word) => ({ type: 'plan', title: word(), tasks: [task(word)] }),
  rich_text: rich,
  section,
  table: (word) => ({ type: 'table', rows: rows(word) }),
  task_card: task,
  video: (word) => ({
    type: 'video',
    video_url: 'https://x.example',
    thumbnail_url: 'https://x.example',
    alt_text: word(),
    title: plainText(word),
    author_name: word(),
    provider_name: word(),
    description: plainText(word),
  }),
};

const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);

let reading: Awaited<ReturnType<typeof openReading>>;
beforeAll(async () => {
  reading = await openReading();
});
afterAll(() => reading.slack.close());

test('the vendor names no other block types', () => {
  expect(named.toSorted()).toEqual(Object.keys(makers).toSorted());
});

test(`all words of any blocks reach the agent, as a question, a forward and in a thread (PARLEY_SEED=${seed})`, async () => {
  const types = fc.array(fc.constantFrom(...Object.keys(makers), 'next_block'), {
    minLength: 1,
    maxLength: 6,
  });
  const next = (word: Words) => ({
    type: 'next_block',
    title: word(),
    parts: [{ type: 'new', text: plainText(word) }],
  });
  await fc.assert(
    fc.asyncProperty(types, fc.constantFrom('own', 'forward', 'thread'), async (chosen, place) => {
      const words: string[] = [];
      const word = () => words[words.push(`w${words.length}q`) - 1] ?? '';
      const blocks = chosen.map((type) => (makers[type] ?? next)(word));
      reading.slack.answers['conversations.replies'] = () => ({
        ok: true,
        messages: [{ user: 'U2', ts: '1700000000.000100', text: '', blocks }],
      });
      reading.clock.jump(120_000);
      const attachments = [
        { is_share: true, author_name: 'Mara', message_blocks: [{ message: { blocks } }] },
      ];
      const given = {
        own: direct({ text: '', blocks }),
        forward: direct({ attachments }),
        thread: event({ text: '<@UBOT> so?', ts: '1700000060.000100', thread_ts: '1700000000.000100' }),
      }[place];
      const question = await reading.question(given);
      expect(words.filter((each) => !question.includes(each))).toEqual([]);
    }),
    { numRuns: 60, seed },
  );
});
