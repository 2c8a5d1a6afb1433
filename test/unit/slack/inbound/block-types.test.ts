/**
 * Every block, element of rich text, element of a block and property of an attachment that the vendor's types name gives
 * all its visible words to the agent, also in a forward and in a thread.
 */

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { direct, event, openReading } from './reading.ts';

const read = (file: string) =>
  readFileSync(
    new URL(`../../../../node_modules/@slack/types/dist/${file}.d.ts`, import.meta.url),
    'utf8',
  ).replace(/\/\*[\s\S]*?\*\//g, '');
const blockTypes = read('block-kit/blocks');
const elementTypes = read('block-kit/block-elements');
const attachmentTypes = read('message-attachments');

/** Returns the values of `type` of all members of a union. */
function members(union: string, source: string): readonly string[] {
  const [, listed = ''] = new RegExp(`type ${union} = ([^;]+);`).exec(source) ?? [];
  return listed.split('|').map((name) => {
    const [, type = name] =
      new RegExp(`\\b${name.trim()}\\b[^;]*?\\{[^}]*?type: '(\\w+)'`).exec(source) ?? [];
    return type;
  });
}

/** Returns the properties of an interface. */
function properties(name: string, source: string): readonly string[] {
  const [, body = ''] = new RegExp(`interface ${name}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(source) ?? [];
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, property = '']) => property);
}

type Words = () => string;
const plainText = (word: Words) => ({ type: 'plain_text', text: word() });
const mrkdwn = (word: Words) => ({ type: 'mrkdwn', text: word() });
const image = (word: Words) => ({ type: 'image', alt_text: word(), image_url: 'https://x.example/a.png' });
const button = (word: Words) => ({ type: 'button', text: plainText(word), value: 'hidden' });

/** Makes an element of rich text of each type. People are named after their ids, such as `Name of U7`. */
const inlines: Readonly<Record<string, (word: Words) => object>> = {
  broadcast: () => ({ type: 'broadcast', range: 'here' }),
  channel: (word) => ({ type: 'channel', channel_id: `C${word().toUpperCase()}` }),
  color: (word) => ({ type: 'color', value: `#${word()}` }),
  date: (word) => ({ type: 'date', timestamp: 1_772_409_600, format: `${word()} {date}` }),
  emoji: (word) => ({ type: 'emoji', name: word() }),
  link: (word) => ({ type: 'link', url: `https://x.example/${word()}`, text: word() }),
  team: (word) => ({ type: 'team', team_id: `T${word().toUpperCase()}` }),
  text: (word) => ({ type: 'text', text: word() }),
  user: (word) => ({ type: 'user', user_id: `U${word().toUpperCase()}` }),
  usergroup: (word) => ({ type: 'usergroup', usergroup_id: `S${word().toUpperCase()}` }),
};
/** Elements that only Slack's reference names: https://docs.slack.dev/reference/block-kit/block-elements */
const mentions = [
  'canvas',
  'list_record',
  'message_mention',
  'work_object_mention',
  'tag',
  'next_mention',
].map((type) => (word: Words) => ({ type, text: word(), url: `https://x.example/${word()}` }));
const STYLES = ['bold', 'italic', 'strike', 'code', 'underline', 'highlight', 'client_highlight', 'unlink'];
const inlineOf = (word: Words, nth: number) => {
  const all = [...Object.values(inlines), ...mentions];
  return { ...all[nth % all.length]?.(word), style: { [STYLES[nth % STYLES.length] ?? '']: true } };
};
/** Counts up, so that all elements occur with all styles. */
let turn = 0;
const inline = (word: Words) => [inlineOf(word, turn++), { type: 'text', text: ' ' }, inlineOf(word, turn++)];
const sectionOf = (word: Words) => ({ type: 'rich_text_section', elements: inline(word) });
const parts: Readonly<Record<string, (word: Words) => object>> = {
  rich_text_section: sectionOf,
  rich_text_list: (word) => ({
    type: 'rich_text_list',
    style: turn % 2 === 0 ? 'ordered' : 'bullet',
    indent: turn % 4,
    elements: [sectionOf(word), sectionOf(word)],
  }),
  rich_text_quote: (word) => ({ type: 'rich_text_quote', elements: inline(word) }),
  rich_text_preformatted: (word) => ({
    type: 'rich_text_preformatted',
    elements: [inlines.text?.(word), inlines.link?.(word)],
  }),
};
const rich = (word: Words) => {
  const all = Object.values(parts);
  return {
    type: 'rich_text',
    elements: [sectionOf(word), all[turn++ % all.length]?.(word), sectionOf(word)],
  };
};
const optionOf = (word: Words) => ({ text: plainText(word), description: plainText(word), value: 'hidden' });
/** Makes an element of a block of each type, with all that people see of it. */
const elements: Readonly<Record<string, (word: Words) => object>> = {
  button: (word) => ({ ...button(word), confirm: { title: plainText(() => 'hidden') } }),
  channels_select: (word) => ({ initial_channel: `C${word().toUpperCase()}` }),
  checkboxes: (word) => ({ options: [optionOf(word)] }),
  conversations_select: (word) => ({ initial_conversation: `C${word().toUpperCase()}` }),
  datepicker: (word) => ({ initial_date: word() }),
  datetimepicker: () => ({ initial_date_time: 1_772_409_600 }),
  email_text_input: (word) => ({ initial_value: word() }),
  external_select: (word) => ({ initial_option: optionOf(word) }),
  feedback_buttons: (word) => ({
    positive_button: { text: plainText(word), value: 'hidden' },
    negative_button: { text: plainText(word), value: 'hidden' },
  }),
  file_input: () => ({}),
  icon_button: (word) => ({ icon: 'trash', text: plainText(word) }),
  multi_channels_select: (word) => ({ initial_channels: [`C${word().toUpperCase()}`] }),
  multi_conversations_select: (word) => ({ initial_conversations: [`C${word().toUpperCase()}`] }),
  multi_external_select: (word) => ({ initial_options: [optionOf(word)] }),
  multi_static_select: (word) => ({ option_groups: [{ label: plainText(word), options: [optionOf(word)] }] }),
  multi_users_select: (word) => ({ initial_users: [`U${word().toUpperCase()}`] }),
  number_input: (word) => ({ placeholder: plainText(word) }),
  overflow: (word) => ({ options: [optionOf(word)] }),
  plain_text_input: (word) => ({ placeholder: plainText(word), initial_value: word() }),
  radio_buttons: (word) => ({ options: [optionOf(word)], initial_option: optionOf(word) }),
  rich_text_input: (word) => ({ initial_value: rich(word) }),
  static_select: (word) => ({ placeholder: plainText(word), options: [optionOf(word)] }),
  timepicker: (word) => ({ initial_time: word() }),
  url: (word) => ({ url: 'https://x.example', text: word() }),
  url_text_input: (word) => ({ initial_value: word() }),
  users_select: (word) => ({ initial_user: `U${word().toUpperCase()}` }),
  workflow_button: (word) => ({
    text: plainText(word),
    workflow: { trigger: { url: 'https://hidden.example' } },
  }),
};
const elementOf = (word: Words) => {
  const all = Object.entries(elements);
  const [type = '', make] = all[turn++ % all.length] ?? [];
  return { type, ...make?.(word) };
};
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
    elements: [button(word), elementOf(word), elementOf(word)],
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

/** Sets a property of an attachment. Properties without words contain `hidden`, which must not be read. */
const attached: Readonly<Record<string, (word: Words) => unknown>> = {
  actions: (word) => [
    { name: 'hidden', type: 'button', text: word(), value: 'hidden', confirm: { text: 'hidden' } },
    { type: 'select', text: word(), selected_options: [{ text: word(), value: 'hidden' }] },
  ],
  app_id: () => 'hidden',
  app_unfurl_url: () => 'https://hidden.example',
  author_icon: () => 'https://hidden.example',
  author_link: () => 'https://hidden.example',
  author_name: (word) => word(),
  author_subname: (word) => word(),
  blocks: (word) => [section(word), rich(word), { type: 'actions', elements: [elementOf(word)] }],
  bot_id: () => 'hidden',
  callback_id: () => 'hidden',
  color: () => 'hidden',
  // People see it only if there is nothing else.
  fallback: () => '[no preview available]',
  fields: (word) => [
    { title: word(), value: word(), short: true },
    { title: '', value: `*${word()}*` },
  ],
  footer: (word) => word(),
  footer_icon: () => 'https://hidden.example',
  image_url: () => 'https://hidden.example',
  is_app_unfurl: () => false,
  mrkdwn_in: () => ['hidden'],
  pretext: (word) => `<https://x.example|${word()}>`,
  preview: (word) => ({
    type: 'hidden',
    title: plainText(word),
    subtitle: plainText(word),
    iconUrl: 'hidden',
  }),
  text: (word) => `_${word()}_ ${word()}`,
  thumb_url: () => 'https://hidden.example',
  title: (word) => word(),
  title_link: (word) => `https://x.example/${word()}`,
  ts: () => '1772409600',
};

/** Returns an attachment with some of the properties. People see the text only if there are no blocks. */
const attachmentOf = (names: readonly string[], word: Words): object =>
  Object.fromEntries(
    [...new Set(names)]
      .filter((name) => name !== 'text' || !names.includes('blocks'))
      .map((name) => [name, attached[name]?.(word)]),
  );

const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);

let reading: Awaited<ReturnType<typeof openReading>>;
beforeAll(async () => {
  reading = await openReading();
});
afterAll(() => reading.slack.close());

test.each<[string, readonly string[], object]>([
  ['blocks', members('KnownBlock', blockTypes), makers],
  ['elements of rich text', members('RichTextElement', elementTypes), inlines],
  [
    'parts of rich text',
    [...elementTypes.matchAll(/type: '(rich_text_(?!input)\w+)'/g)].map(([, type = '']) => type),
    parts,
  ],
  [
    'elements of blocks',
    [...elementTypes.matchAll(/type: '(\w+)'/g)]
      .map(([, type = '']) => type)
      .filter((type) => type !== 'image' && !(type in inlines) && !(type in parts)),
    elements,
  ],
  ['properties of attachments', properties('MessageAttachment', attachmentTypes), attached],
  [
    'styles',
    properties('Style', read('../../web-api/dist/types/response/ConversationsHistoryResponse')),
    Object.fromEntries(STYLES.map((style) => [style, true])),
  ],
])('the vendor names no other %s', (_, named, made) => {
  expect(named.length).toBeGreaterThan(3);
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(made).toSorted());
});

/** Makes words of which each is found, and returns those that the question lacks. */
function wordList() {
  const words: string[] = [];
  return {
    word: () => words[words.push(`w${words.length}q`) - 1] ?? '',
    missingIn: (question: string) => words.filter((each) => !question.toLowerCase().includes(each)),
  };
}

// A message of emoji only is no question.
const typed = (block: object) =>
  direct({ text: '', blocks: [{ type: 'header', text: plainText(() => 'so') }, block] });
const everything: readonly (readonly [string, (word: Words) => object])[] = [
  ...Object.entries(inlines).map(
    ([name, make]) =>
      [
        name,
        (word: Words) =>
          typed({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [make(word)] }] }),
      ] as const,
  ),
  ...mentions.map(
    (make) =>
      [
        JSON.stringify(make(() => 'w')),
        (word: Words) =>
          typed({ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [make(word)] }] }),
      ] as const,
  ),
  ...Object.entries(parts).map(
    ([name, make]) => [name, (word: Words) => typed({ type: 'rich_text', elements: [make(word)] })] as const,
  ),
  ...Object.entries(elements).map(
    ([type, make]) =>
      [type, (word: Words) => typed({ type: 'actions', elements: [{ type, ...make(word) }] })] as const,
  ),
  ...Object.keys(attached).map(
    (name) =>
      [
        `attachment: ${name}`,
        (word: Words) => direct({ attachments: [attachmentOf(['text', name], word)] }),
      ] as const,
  ),
];

test.each(everything)('all words reach the agent: %s', async (_, make) => {
  const { word, missingIn } = wordList();
  const question = await reading.question(make(word));
  expect(missingIn(question)).toEqual([]);
  expect(question).not.toContain('hidden');
});

test(`all words of any message reach the agent, as a question, a forward and in a thread (PARLEY_SEED=${seed})`, async () => {
  const types = fc.array(fc.constantFrom(...Object.keys(makers), 'next_block'), {
    minLength: 1,
    maxLength: 6,
  });
  const next = (word: Words) => ({
    type: 'next_block',
    title: word(),
    parts: [{ type: 'new', text: plainText(word) }],
  });
  const properties = fc.array(fc.subarray(Object.keys(attached)), { maxLength: 3 });
  const places = fc.constantFrom('own', 'app', 'forward', 'thread', 'thread of an app');
  await fc.assert(
    fc.asyncProperty(types, properties, places, async (chosen, names, place) => {
      const { word, missingIn } = wordList();
      const blocks = chosen.map((type) => (makers[type] ?? next)(word));
      const attachments = names.map((each) => attachmentOf(each, word));
      const author = place === 'thread of an app' ? { bot_id: 'B7', username: 'Alarm' } : { user: 'U2' };
      reading.slack.answers['conversations.replies'] = () => ({
        ok: true,
        messages: [{ ...author, ts: '1700000000.000100', text: '', blocks, attachments }],
      });
      reading.clock.jump(120_000);
      const forward = {
        is_share: true,
        author_name: 'Mara',
        message_blocks: [{ message: { blocks, attachments } }],
      };
      const thread = event({ text: '<@UBOT> so?', ts: '1700000060.000100', thread_ts: '1700000000.000100' });
      const given = {
        own: direct({ text: '', blocks, attachments }),
        app: event({ user: undefined, bot_id: 'B7', blocks, attachments }),
        forward: direct({ attachments: [forward] }),
        thread,
        'thread of an app': thread,
      }[place];
      const question = await reading.question(given);
      expect(missingIn(question)).toEqual([]);
      expect(question).not.toContain('hidden');
    }),
    { numRuns: 100, seed },
  );
});
